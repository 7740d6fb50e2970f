import {
  addressOf,
  headersWithType,
  keyPlaceholder,
  type Reading,
  type SampleBody,
  type SampleHeader,
  type SampleRequest,
} from './request.ts';

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
  const { id, headers, body, method, response, remarks } = request;
  const isPaged = response.reading === 'pages';
  const { imports: ofReading = [], ...reading } =
    response.reading === 'pages' ? readings.json : readings[response.reading];
  const imports = new Set([
    'java.net.URI',
    'java.net.http.HttpClient',
    'java.net.http.HttpRequest',
    ...(method === 'GET' && body === undefined ? [] : ['java.net.http.HttpRequest.BodyPublishers']),
    'java.net.http.HttpResponse',
    'java.net.http.HttpResponse.BodyHandlers',
    'java.time.Duration',
    ...(headers.some((header) => 'example' in header) ? ['java.util.UUID'] : []),
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
${isPaged ? loop(request) : call(request, reading)}  }

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
        ${quoted(request.baseUrl + addressOf(request))};
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

function call(request: SampleRequest, { type, print }: JavaReading): string {
  return `${built(request, quoted(request.baseUrl + addressOf(request)), '    ')}
    HttpResponse<${type}> response = send(request);
    ${print(request)}
`;
}

function built(request: SampleRequest, url: string, indent: string): string {
  const { method, body, needsKey } = request;
  const steps = [
    ...(needsKey
      ? [
          `.header("Authorization", "Bearer " + System.getenv()\n    .getOrDefault("ANIMAL_STORE_KEY", "${keyPlaceholder}"))`,
        ]
      : []),
    ...headersWithType(request).map(headerStep),
    '.timeout(Duration.ofSeconds(30))',
    `${sending(method, body)}.build();`,
  ];
  const lines = steps.flatMap((step) => step.split('\n')).map((line) => `${indent}    ${line}`);
  return [
    `${indent}HttpRequest request = HttpRequest.newBuilder(`,
    `${indent}        URI.create(${url}))`,
    ...lines,
  ].join('\n');
}

function headerStep(header: SampleHeader): string {
  const name = quoted(header.name);
  if ('value' in header) return `.header(${name}, ${quoted(String(header.value))})`;
  return `.header(${name},\n    UUID.randomUUID().toString())`;
}

function sending(method: string, body: SampleBody | undefined): string {
  if (body === undefined) return method === 'GET' ? '' : `.method("${method}", BodyPublishers.noBody())\n`;
  return `.method("${method}", ${publisher(body)})\n`;
}

function publisher(body: SampleBody): string {
  if (body.sending === 'file') return `BodyPublishers.ofFile(\n    Path.of("${body.file}"))`;
  if (body.sending === 'text') return `BodyPublishers.ofString(\n    ${quoted(body.text)})`;
  // In a text block only backslashes are special. JSON has three quotes in a row only around empty texts.
  const block = JSON.stringify(body.value).replaceAll('\\', '\\\\').replaceAll('"""', '""\\"');
  return `BodyPublishers.ofString("""\n    ${block}\n    """)`;
}

/** A JSON string is also a valid Java string. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
