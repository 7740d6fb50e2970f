import { headersWithType, type Reading, type SampleBody, type SampleRequest, urlOf } from './sample-request.ts';

/** The classes that samples use. A sample imports those whose names occur in it. */
const classes = [
  'java.net.URI',
  'java.net.http.HttpClient',
  'java.net.http.HttpRequest',
  'java.net.http.HttpRequest.BodyPublishers',
  'java.net.http.HttpResponse.BodyHandlers',
  'java.nio.file.Files',
  'java.nio.file.Path',
  'java.time.Duration',
  'java.util.stream.Collectors',
];

/** What reads the body, the body of a refusal as text, and how to print the body. */
type JavaReading = { handler: string; refusal: string; print: string };

const text: JavaReading = {
  handler: 'ofString()',
  refusal: 'response.body()',
  print: '    System.out.println(response.body());\n',
};
const readings: Record<Reading, (request: SampleRequest) => JavaReading> = {
  status: () => ({ ...text, print: '    System.out.println(response.statusCode());\n' }),
  json: () => text,
  text: () => text,
  lines: () => ({
    handler: 'ofLines()',
    refusal: 'response.body().collect(Collectors.joining())',
    print: '    response.body().forEach(System.out::println);\n',
  }),
  file: ({ response }) => ({
    handler: `ofFile(Path.of("${response.file}"))`,
    refusal: 'Files.readString(response.body())',
    print: '',
  }),
};

/** The operation with the standard library of Java 17: `java Name.java` runs it. */
export function javaSample(request: SampleRequest): string {
  const { id, method, body, secret, names, response, remarks } = request;
  const { handler, refusal, print } = readings[response.reading](request);
  const key = secret && `System.getenv().getOrDefault("${secret.variable}", "${names.keyPlaceholder}");\n`;
  const value = secret && (secret.prefix === '' ? 'key' : `${quoted(secret.prefix)} + key`);
  const steps = [
    ...(secret === undefined ? [] : [`.header(${quoted(secret.name)}, ${value})`]),
    ...headersWithType(request).map(({ name, value }) => `.header(${quoted(name)}, ${quoted(String(value))})`),
    '.timeout(Duration.ofSeconds(30))',
    ...(method === 'GET' && body === undefined
      ? []
      : [`.method("${method}", BodyPublishers.${body === undefined ? 'noBody()' : publisher(body)})`]),
    '.build();',
  ];
  const code = `
public class ${classNameOf(id)} {
  public static void main(String[] args) throws Exception {
${key === undefined ? '' : `    var key = ${key}`}    var request = HttpRequest.newBuilder()
        .uri(URI.create(${quoted(urlOf(request))}))
${steps.join('\n').replaceAll(/^/gm, '        ')}
    var response = HttpClient.newHttpClient()
        .send(request, BodyHandlers.${handler});
    if (response.statusCode() >= 400)
      throw new IllegalStateException(${refusal});
${print}  }
}
`;
  const imports = classes.filter((name) => new RegExp(`\\b${name.split('.').at(-1)}\\b`).test(code));
  return [...remarks.map((remark) => `// ${remark}\n`), ...imports.map((name) => `import ${name};\n`), code].join('');
}

export function classNameOf(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
}

function publisher(body: SampleBody): string {
  if (body.sending === 'file') return `ofFile(Path.of("${body.file}"))`;
  if (body.sending === 'text') return `ofString(${quoted(body.text)})`;
  // In a text block only backslashes are special. JSON has three quotes in a row only around empty texts.
  const json = JSON.stringify(body.value).replaceAll('\\', '\\\\').replaceAll('"""', '""\\"');
  return `ofString("""\n    ${json}\n    """)`;
}

/** A JSON string is also a valid Java string. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
