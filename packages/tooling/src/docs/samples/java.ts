import { keyPlaceholder, keyVariable } from './request.ts';
import { allHeaders, callsOf, concatenated, type JsonRequest, jsonOf, urlOf } from './sample-request.ts';

/** The classes that samples use. A sample imports those whose names occur in it. */
const classes = [
  'java.net.URI',
  'java.net.http.HttpClient',
  'java.net.http.HttpRequest',
  'java.net.http.HttpRequest.BodyPublishers',
  'java.net.http.HttpResponse.BodyHandlers',
  'java.time.Duration',
];

/** The operation with the standard library of Java 17: `java Name.java` runs it. */
export function javaSample(sample: JsonRequest): string {
  const calls = callsOf(sample, '//').map(({ title, name, request }, at) => {
    const { method, body, response } = request;
    const steps = [
      ...allHeaders(request).map(({ name, value }) => `.header(${quoted(name)}, ${quoted(value)})`),
      '.timeout(Duration.ofSeconds(30))',
      ...(method === 'GET' && body === undefined
        ? []
        : [
            `.method("${method}", BodyPublishers.${body === undefined ? 'noBody()' : `ofString(${quoted(jsonOf(body))})`})`,
          ]),
      '.build();',
    ];
    const declare = at === 0 ? 'var ' : '';
    const print = `System.out.println(response.${response.reading === 'status' ? 'statusCode' : 'body'}());`;
    const id = 'response.headers().firstValue("Location").orElseThrow().replaceAll(".*/", "");';
    return `${title}${declare}request = HttpRequest.newBuilder()
    .uri(URI.create(${quoted(urlOf(request))}))
${steps.join('\n').replaceAll(/^/gm, '    ')}
${declare}response = client.send(request, BodyHandlers.ofString());
if (response.statusCode() >= 400)
  throw new IllegalStateException(response.body());
${name ? `var ${name} = ${id}` : print}
`;
  });
  const key = `var key = System.getenv().getOrDefault("${keyVariable}", "${keyPlaceholder}");\n`;
  const main = `${sample.secret ? key : ''}var client = HttpClient.newHttpClient();
${calls.join('\n')}`;
  const code = `
public class ${classNameOf(sample.id)} {
  public static void main(String[] args) throws Exception {
${main.replaceAll(/^(?=.)/gm, '    ')}  }
}
`;
  const imports = classes.filter((name) => new RegExp(`\\b${name.split('.').at(-1)}\\b`).test(code));
  return `${imports.map((name) => `import ${name};\n`).join('')}${code}`;
}

export function classNameOf(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
}

/** A JSON string is also a valid Java string. */
const quoted = (text: string) => concatenated(text, ' + ');
