import { headersWithType, type JsonRequest, urlOf } from './sample-request.ts';

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
export function javaSample(request: JsonRequest): string {
  const { id, method, body, secret, names, response, remarks } = request;
  const key = secret && `System.getenv().getOrDefault("${secret.variable}", "${names.keyPlaceholder}");\n`;
  const value = secret && (secret.prefix === '' ? 'key' : `${quoted(secret.prefix)} + key`);
  const steps = [
    ...(secret === undefined ? [] : [`.header(${quoted(secret.name)}, ${value})`]),
    ...headersWithType(request).map(({ name, value }) => `.header(${quoted(name)}, ${quoted(String(value))})`),
    '.timeout(Duration.ofSeconds(30))',
    ...(method === 'GET' && body === undefined
      ? []
      : [`.method("${method}", BodyPublishers.${body === undefined ? 'noBody()' : textBlock(body.value)})`]),
    '.build();',
  ];
  const code = `
public class ${classNameOf(id)} {
  public static void main(String[] args) throws Exception {
${key === undefined ? '' : `    var key = ${key}`}    var request = HttpRequest.newBuilder()
        .uri(URI.create(${quoted(urlOf(request))}))
${steps.join('\n').replaceAll(/^/gm, '        ')}
    var response = HttpClient.newHttpClient()
        .send(request, BodyHandlers.ofString());
    if (response.statusCode() >= 400)
      throw new IllegalStateException(response.body());
    System.out.println(response.${response.reading === 'status' ? 'statusCode' : 'body'}());
  }
}
`;
  const imports = classes.filter((name) => new RegExp(`\\b${name.split('.').at(-1)}\\b`).test(code));
  return [...remarks.map((remark) => `// ${remark}\n`), ...imports.map((name) => `import ${name};\n`), code].join('');
}

export function classNameOf(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
}

/** In a text block only backslashes are special. JSON has three quotes in a row only around empty texts. */
function textBlock(value: unknown): string {
  const json = JSON.stringify(value).replaceAll('\\', '\\\\').replaceAll('"""', '""\\"');
  return `ofString("""\n    ${json}\n    """)`;
}

/** A JSON string is also a valid Java string. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
