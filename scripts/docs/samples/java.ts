import { addressOf, type SampleRequest } from './request.ts';

/** The operation with what Java brings along since 17: `java Name.java` runs it. */
export function javaSample(request: SampleRequest): string {
  const { id, idempotencyKey, isPaged, warning } = request;
  const imports = [
    'java.net.URI',
    'java.net.http.HttpClient',
    'java.net.http.HttpRequest',
    ...(request.method === 'GET' && request.body === undefined ? [] : ['java.net.http.HttpRequest.BodyPublishers']),
    'java.net.http.HttpResponse',
    'java.net.http.HttpResponse.BodyHandlers',
    'java.time.Duration',
    ...(idempotencyKey === undefined ? [] : ['java.util.UUID']),
    ...(isPaged ? ['java.util.regex.Matcher', 'java.util.regex.Pattern'] : []),
  ];
  return `${warning === undefined ? '' : `// ${warning}\n`}${imports.map((name) => `import ${name};\n`).join('')}
public class ${classNameOf(id)} {
  static final HttpClient client =
      HttpClient.newHttpClient();

  public static void main(String[] args) throws Exception {
${isPaged ? loop(request) : call(request)}  }

  static HttpResponse<String> send(HttpRequest request)
      throws Exception {
    for (int attempt = 1; ; attempt++) {
      HttpResponse<String> response =
          client.send(request, BodyHandlers.ofString());
      int status = response.statusCode();
      if (status < 400) return response;
      if (status != 429 || attempt == 4)
        throw new IllegalStateException(response.body());
      // Over the limit: send nothing before Retry-After.
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
        ${text(request.baseUrl + addressOf(request))};
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

function call(request: SampleRequest): string {
  const print = request.result === undefined ? 'response.statusCode()' : 'response.body()';
  return `${built(request, text(request.baseUrl + addressOf(request)), '    ')}
    HttpResponse<String> response = send(request);
    System.out.println(${print});
`;
}

function built({ method, body, idempotencyKey }: SampleRequest, url: string, indent: string): string {
  const steps = [
    '.header("Authorization",\n    "Bearer " + System.getenv("ANIMAL_STORE_KEY"))',
    ...(idempotencyKey === undefined ? [] : ['.header("Idempotency-Key",\n    UUID.randomUUID().toString())']),
    ...(body === undefined ? [] : ['.header("Content-Type", "application/json")']),
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

function sending(method: string, body: unknown): string {
  if (body === undefined) {
    return method === 'GET' ? '' : `.method("${method}", BodyPublishers.noBody())\n`;
  }
  // In a text block only backslashes mean something; JSON has no three quotes in a row but around and in empty texts.
  const block = JSON.stringify(body).replaceAll('\\', '\\\\').replaceAll('"""', '""\\"');
  return `.method("${method}", BodyPublishers.ofString("""\n    ${block}\n    """))\n`;
}

/** A text in JSON is a text in Java, too. */
function text(value: string): string {
  return JSON.stringify(value);
}
