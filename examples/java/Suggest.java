// A suggestion with nothing but the JDK, over HTTP and JSON: java Suggest.java http://127.0.0.1:8080
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

public class Suggest {
    static final HttpClient CLIENT = HttpClient.newHttpClient();
    static String server = "http://127.0.0.1:8080";

    static String call(String method, String json) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(server + "/pythia.v1." + method))
                .header("content-type", "application/json")
                .header("connect-timeout-ms", "20000")
                .POST(HttpRequest.BodyPublishers.ofString(json)).build();
        var answer = CLIENT.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 200) throw new RuntimeException(answer.body());
        return answer.body();
    }

    // The JDK has no JSON; a library of your choice goes here.
    static String text(String json, String pattern) {
        var found = Pattern.compile(pattern, Pattern.DOTALL).matcher(json);
        if (!found.find()) throw new RuntimeException(pattern + " is not in " + json);
        return found.group(1);
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) server = arguments[0];
        var made = call("MatchService/CreateMatch", "{\"game\": \"delphi\", \"seats\": [{}, {}]}");
        var match = text(made, "\"id\":\"(\\w+)\"");
        var seat = made.contains("\"to_act\":1") ? 1 : 0;
        var token = text(made, "\"seat_tokens\":\\[(?:\"\\w+\",){" + seat + "}\"(\\w+)\"");
        var seen = call("MatchService/Observe",
                "{\"match_id\": \"%s\", \"seat\": %d, \"token\": \"%s\"}".formatted(match, seat, token));
        var position = text(seen, "\"observation\":(\\{.*\\})(?:,\"version\":\"\\d+\")?\\}$");
        var options = "{\"bot\": {\"name\": \"ismcts\", \"limit\": {\"iterations\": 300}}}";
        var answer = call("AdvisorService/SuggestMove", "{\"observation\": %s, \"options\": %s}".formatted(position, options));
        System.out.println("move: " + text(answer, "\"move\":\\{\"text\":\"([^\"]+)\""));
    }
}
