"""A small network that corrects what an evaluation makes of a seat: one hidden layer, the same weights for every seat.

A game that has one names its inputs (`Names.net` of pythia.core_cy.weights), fills them for a seat, and adds
`net_output` to its own estimate. Most inputs are 0, and those cost nothing.
"""

cdef enum:
    NET_INPUTS = 192        # at most
    NET_HIDDEN = 64         # units, each cut off below 0

ctypedef struct Net:
    int inputs              # 0: there is none
    float first[NET_INPUTS][NET_HIDDEN]
    float bias[NET_HIDDEN]
    float second[NET_HIDDEN]
    float last


cdef inline float net_output(const Net* net, const float* inputs) noexcept nogil:
    cdef float hidden[NET_HIDDEN]
    cdef const float* row
    cdef float value, total = net.last
    cdef int i, j
    for j in range(NET_HIDDEN):
        hidden[j] = net.bias[j]
    for i in range(net.inputs):
        value = inputs[i]
        if value != 0:
            row = net.first[i]
            for j in range(NET_HIDDEN):
                hidden[j] += value * row[j]
    for j in range(NET_HIDDEN):
        if hidden[j] > 0:
            total += hidden[j] * net.second[j]
    return total


# From the numbers of a network in the order of the struct (pythia.core_cy.net_text); none for no network.
cdef inline int fill_net(Net* net, int inputs, object numbers) except -1:
    cdef int i, j, k = 0
    net.inputs = 0
    if not numbers:
        return 0
    if len(numbers) != (inputs + 2) * NET_HIDDEN + 1 or inputs > NET_INPUTS:
        raise ValueError(f"net: {len(numbers)} numbers are not allowed; allowed: {(inputs + 2) * NET_HIDDEN + 1}")
    for i in range(inputs):
        for j in range(NET_HIDDEN):
            net.first[i][j] = numbers[k]
            k += 1
    for j in range(NET_HIDDEN):
        net.bias[j] = numbers[k]
        net.second[j] = numbers[k + NET_HIDDEN]
        k += 1
    net.last = numbers[k + NET_HIDDEN]
    net.inputs = inputs
    return 0
