export { Code, ConnectError, createClient } from "@connectrpc/connect";
export { createConnectTransport } from "@connectrpc/connect-web";
export { create, createFileRegistry, fromBinary, fromJson, toBinary, toJson } from "@bufbuild/protobuf";
export { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
