import {
  addressOf,
  formParts,
  headersWithType,
  multipartType,
  type Reading,
  type SampleBody,
  type SampleField,
  type SampleRequest,
  urlEncodedText,
} from './sample-request.ts';
import { inSequence, jsonParts, type SampleStep, Stored } from './steps.ts';

/** The classes that samples use. A sample imports those whose names occur in it. */
const classes = [
  'java.io.InputStream',
  'java.net.URI',
  'java.net.http.HttpClient',
  'java.net.http.HttpRequest',
  'java.net.http.HttpRequest.BodyPublishers',
  'java.net.http.HttpResponse',
  'java.net.http.HttpResponse.BodyHandlers',
  'java.nio.charset.StandardCharsets',
  'java.nio.file.Files',
  'java.nio.file.Path',
  'java.nio.file.StandardCopyOption',
  'java.time.Duration',
  'java.util.UUID',
  'java.util.regex.Matcher',
  'java.util.regex.Pattern',
  'java.util.stream.Collectors',
  'java.util.stream.Stream',
];

/** The type of the body, the method of BodyHandlers that reads it, the body of a refusal as text, and how to print the body. */
type JavaReading = { type: string; handler: string; refusal: string; print: (request: SampleRequest) => string };

const text: JavaReading = {
  type: 'String',
  handler: 'ofString',
  refusal: 'response.body()',
  print: () => 'System.out.println(response.body());',
};
const eachLine: JavaReading = {
  type: 'Stream<String>',
  handler: 'ofLines',
  refusal: 'response.body().collect(Collectors.joining())',
  print: () => 'response.body().forEach(System.out::println);',
};
const readings: Record<Reading, JavaReading> = {
  status: { ...text, print: () => 'System.out.println(response.statusCode());' },
  json: text,
  pages: text,
  text,
  lines: eachLine,
  jsonLines: eachLine,
  events: eachLine,
  file: {
    type: 'InputStream',
    handler: 'ofInputStream',
    refusal: 'new String(\n            response.body().readAllBytes(), StandardCharsets.UTF_8)',
    print: ({ response }) =>
      `Files.copy(response.body(), Path.of("${response.file}"),\n        StandardCopyOption.REPLACE_EXISTING);`,
  },
};

/** The operation with the standard library of Java 17: `java Name.java` runs it. */
export function javaSample(request: SampleRequest): string {
  const { id, response, remarks } = request;
  const { type, handler, refusal, print } = readings[response.reading];
  const main = response.reading === 'pages' ? loop(request) : call(request, type, print(request));
  const code = `
public class ${classNameOf(id)} {
  static final HttpClient client =
      HttpClient.newHttpClient();

  public static void main(String[] args) throws Exception {
${inSequence(request, '    //', stepCode, main)}  }

  static HttpResponse<${type}> send(HttpRequest request)
      throws Exception {
    for (int attempt = 1; ; attempt++) {
      HttpResponse<${type}> response =
          client.send(request, BodyHandlers.${handler}());
      int status = response.statusCode();
      if (status < 400) return response;
      if (status != 429 || attempt == 4)
        throw new IllegalStateException(${refusal});
      // Over the limit: wait until Retry-After has passed.
      Thread.sleep(Duration.ofSeconds(response.headers()
          .firstValueAsLong("Retry-After").orElse(60)).toMillis());
    }
  }
}
`;
  const imports = classes.filter((name) => new RegExp(`\\b${name.split('.').at(-1)}\\b`).test(code));
  return [...remarks.map((remark) => `// ${remark}\n`), ...imports.map((name) => `import ${name};\n`), code].join('');
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
  return `    // ${request.summary}
${built(request, url(request), '    ', request.id)}
    String ${stores.variable} = ${value};
`;
}

function url(request: SampleRequest): string {
  const address = addressOf(request, (variable) => `" + ${variable} + "`);
  return `"${request.baseUrl}${address}"`.replace(/ \+ ""$/, '');
}

function call(request: SampleRequest, type: string, print: string): string {
  return `${built(request, url(request), '    ')}
    HttpResponse<${type}> response = send(request);
    ${print}
`;
}

function built(request: SampleRequest, url: string, indent: string, name = 'request'): string {
  const { method, body, secrets } = request;
  const headers = headersWithType(request).map(({ name, ...header }) => {
    if (!('value' in header)) return `.header(${quoted(name)},\n    UUID.randomUUID().toString())\n`;
    const { value } = header;
    return `.header(${quoted(name)}, ${value instanceof Stored ? value.variable : quoted(String(value))})\n`;
  });
  if (body?.sending === 'form' && body.isMultipart) {
    headers.push(`.header("Content-Type",\n    "${multipartType}")\n`);
  }
  const keys = secrets.map(
    ({
      name,
      prefix,
      variable,
    }) => `.header(${quoted(name)}, ${prefix === '' ? '' : `${quoted(prefix)} + `}System.getenv()
    .getOrDefault("${variable}", "${request.names.keyPlaceholder}"))\n`,
  );
  const sent = body === undefined ? 'BodyPublishers.noBody()' : publisher(body);
  const sending = method === 'GET' && body === undefined ? '' : `.method("${method}", ${sent})\n`;
  const steps = `${keys.join('')}${headers.join('')}.timeout(Duration.ofSeconds(30))\n${sending}.build();`;
  return `${indent}HttpRequest ${name} = HttpRequest.newBuilder(
${indent}        URI.create(${url}))
${steps.replaceAll(/^/gm, `${indent}    `)}`;
}

function publisher(body: SampleBody): string {
  if (body.sending === 'file') return `BodyPublishers.ofFile(\n    Path.of("${body.file}"))`;
  if (body.sending === 'form') return formPublisher(body.isMultipart, body.fields);
  if (body.sending === 'text') return `BodyPublishers.ofString(\n    ${quoted(body.text)})`;
  // In a text block only backslashes are special. JSON has three quotes in a row only around empty texts.
  const inBlock = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"""', '""\\"');
  const parts = jsonParts(body.value);
  const variables = parts.flatMap((part) => (part instanceof Stored ? [part.variable] : []));
  if (variables.length === 0) return `BodyPublishers.ofString("""\n    ${inBlock(parts.join(''))}\n    """)`;
  const format = parts.map((part) => (part instanceof Stored ? '%s' : inBlock(part.replaceAll('%', '%%')))).join('');
  return `BodyPublishers.ofString("""\n    ${format}\n    """.formatted(${variables.join(', ')}))`;
}

/** The JDK has no multipart forms, so the sample writes the parts itself. */
function formPublisher(isMultipart: boolean, fields: readonly SampleField[]): string {
  if (!isMultipart) return `BodyPublishers.ofString(\n    ${quoted(urlEncodedText(fields))})`;
  const parts = formParts(fields).map((part) =>
    'text' in part ? `BodyPublishers.ofString(${quoted(part.text)})` : `BodyPublishers.ofFile(Path.of("${part.file}"))`,
  );
  return `BodyPublishers.concat(\n    ${parts.join(',\n    ')})`;
}

/** A JSON string is also a valid Java string. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
