import { project } from '../../project.ts';
import {
  addressOf,
  allRequests,
  headersWithType,
  keyPlaceholder,
  needsUuid,
  type Reading,
  type SampleBody,
  type SampleHeader,
  type SampleRequest,
} from './request.ts';
import type { SampleStep } from './steps.ts';
import { jsonParts, Stored } from './stored.ts';

type JavaReading = {
  imports?: string[];
  /** The type of the body, and the method of BodyHandlers that reads it. */
  type: string;
  handler: string;
  /** The body of a refusal as text. */
  refusal: string;
  print: (request: SampleRequest) => string;
};

const text = { type: 'String', handler: 'ofString', refusal: 'response.body()' };
const eachLine: JavaReading = {
  imports: ['java.util.stream.Collectors', 'java.util.stream.Stream'],
  type: 'Stream<String>',
  handler: 'ofLines',
  refusal: 'response.body().collect(Collectors.joining())',
  print: () => 'response.body().forEach(System.out::println);',
};

const readings: Record<Exclude<Reading, 'pages'>, JavaReading> = {
  status: { ...text, print: () => 'System.out.println(response.statusCode());' },
  json: { ...text, print: () => 'System.out.println(response.body());' },
  text: { ...text, print: () => 'System.out.println(response.body());' },
  lines: eachLine,
  jsonLines: eachLine,
  events: eachLine,
  file: {
    imports: [
      'java.io.InputStream',
      'java.nio.charset.StandardCharsets',
      'java.nio.file.Files',
      'java.nio.file.Path',
      'java.nio.file.StandardCopyOption',
    ],
    type: 'InputStream',
    handler: 'ofInputStream',
    refusal: 'new String(\n            response.body().readAllBytes(), StandardCharsets.UTF_8)',
    print: ({ response }) =>
      `Files.copy(response.body(), Path.of("${response.file}"),\n        StandardCopyOption.REPLACE_EXISTING);`,
  },
};

/** The operation with the standard library of Java 17: `java Name.java` runs it. */
export function javaSample(request: SampleRequest): string {
  const { id, body, response, remarks, steps, summary } = request;
  const isPaged = response.reading === 'pages';
  const { imports: ofReading = [], ...reading } =
    response.reading === 'pages' ? readings.json : readings[response.reading];
  const imports = new Set([
    'java.net.URI',
    'java.net.http.HttpClient',
    'java.net.http.HttpRequest',
    ...(allRequests(request).every((one) => one.method === 'GET' && one.body === undefined)
      ? []
      : ['java.net.http.HttpRequest.BodyPublishers']),
    'java.net.http.HttpResponse',
    'java.net.http.HttpResponse.BodyHandlers',
    'java.time.Duration',
    ...(needsUuid(request) ? ['java.util.UUID'] : []),
    ...(isPaged ? ['java.util.regex.Matcher', 'java.util.regex.Pattern'] : []),
    ...(body?.sending === 'file' ? ['java.nio.file.Path'] : []),
    ...ofReading,
  ]);
  return `${remarks.map((remark) => `// ${remark}\n`).join('')}${[...imports]
    .sort()
    .map((name) => `import ${name};\n`)
    .join('')}
public class ${classNameOf(id)} {
  static final HttpClient client =
      HttpClient.newHttpClient();

  public static void main(String[] args) throws Exception {
${steps.map(stepCode).join('\n')}${steps.length === 0 ? '' : `\n    // ${summary}\n`}${isPaged ? loop(request) : call(request, reading)}  }

  static HttpResponse<${reading.type}> send(HttpRequest request)
      throws Exception {
    for (int attempt = 1; ; attempt++) {
      HttpResponse<${reading.type}> response =
          client.send(request, BodyHandlers.${reading.handler}());
      int status = response.statusCode();
      if (status < 400) return response;
      if (status != 429 || attempt == 4)
        throw new IllegalStateException(${reading.refusal});
      // Over the limit: wait until Retry-After has passed.
      Thread.sleep(Duration.ofSeconds(response.headers()
          .firstValueAsLong("Retry-After").orElse(60)).toMillis());
    }
  }
}
`;
}

export function classNameOf(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
}

function loop(request: SampleRequest): string {
  return `    Pattern next = Pattern.compile("<([^>]+)>; rel=\\"next\\"");
    String url =
        ${url(request)};
    while (url != null) {
${built(request, 'url', '      ')}
      HttpResponse<String> page = send(request);
      System.out.println(page.body());
      Matcher link = next.matcher(
          page.headers().firstValue("Link").orElse(""));
      url = link.find() ? link.group(1) : null;
    }
`;
}

function stepCode({ request, from, stores }: SampleStep): string {
  const header = (name: string) => `send(${request.id})\n        .headers().firstValue("${name}").orElseThrow()`;
  const value = from === 'id' ? `${header('Location')}\n        .replaceAll(".*/", "")` : header('ETag');
  return `    // ${from === 'id' ? request.summary : 'Read the current ETag.'}
${built(request, url(request), '    ', request.id)}
    String ${stores.variable} = ${value};
`;
}

function url(request: SampleRequest): string {
  const address = addressOf(request, (variable) => `" + ${variable} + "`);
  return `"${request.baseUrl}${address}"`.replace(/ \+ ""$/, '');
}

function call(request: SampleRequest, { type, print }: JavaReading): string {
  return `${built(request, url(request), '    ')}
    HttpResponse<${type}> response = send(request);
    ${print(request)}
`;
}

function built(request: SampleRequest, url: string, indent: string, name = 'request'): string {
  const { method, body, needsKey } = request;
  const steps = [
    ...(needsKey
      ? [
          `.header("Authorization", "Bearer " + System.getenv()\n    .getOrDefault("${project.variables}_KEY", "${keyPlaceholder}"))`,
        ]
      : []),
    ...headersWithType(request).map(headerStep),
    '.timeout(Duration.ofSeconds(30))',
    `${sending(method, body)}.build();`,
  ];
  const lines = steps.flatMap((step) => step.split('\n')).map((line) => `${indent}    ${line}`);
  return [
    `${indent}HttpRequest ${name} = HttpRequest.newBuilder(`,
    `${indent}        URI.create(${url}))`,
    ...lines,
  ].join('\n');
}

function headerStep(header: SampleHeader): string {
  const name = quoted(header.name);
  if (!('value' in header)) return `.header(${name},\n    UUID.randomUUID().toString())`;
  const { value } = header;
  return `.header(${name}, ${value instanceof Stored ? value.variable : quoted(String(value))})`;
}

function sending(method: string, body: SampleBody | undefined): string {
  if (body === undefined) return method === 'GET' ? '' : `.method("${method}", BodyPublishers.noBody())\n`;
  return `.method("${method}", ${publisher(body)})\n`;
}

function publisher(body: SampleBody): string {
  if (body.sending === 'file') return `BodyPublishers.ofFile(\n    Path.of("${body.file}"))`;
  if (body.sending === 'text') return `BodyPublishers.ofString(\n    ${quoted(body.text)})`;
  // In a text block only backslashes are special. JSON has three quotes in a row only around empty texts.
  const inBlock = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"""', '""\\"');
  const parts = jsonParts(body.value);
  const variables = parts.flatMap((part) => (part instanceof Stored ? [part.variable] : []));
  if (variables.length === 0) return `BodyPublishers.ofString("""\n    ${inBlock(parts.join(''))}\n    """)`;
  const format = parts.map((part) => (part instanceof Stored ? '%s' : inBlock(part.replaceAll('%', '%%')))).join('');
  return `BodyPublishers.ofString("""\n    ${format}\n    """.formatted(${variables.join(', ')}))`;
}

/** A JSON string is also a valid Java string. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
