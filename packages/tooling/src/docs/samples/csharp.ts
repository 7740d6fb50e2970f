import { classNameOf } from './java.ts';
import {
  addressOf,
  type Reading,
  type SampleBody,
  type SampleField,
  type SampleHeader,
  type SampleRequest,
  urlEncodedText,
} from './sample-request.ts';
import { inSequence, jsonParts, type SampleStep, Stored } from './steps.ts';

/** The namespaces by a word that needs them. */
const namespaces = {
  System: /\b(Console|Environment|Exception|Func|Guid|TimeSpan)\b/,
  'System.IO': /\b(File|StreamReader)\b/,
  'System.Linq': /\bLast\(/,
  'System.Net.Http': /\bHttpClient\b/,
  'System.Net.Http.Headers': /\bMediaTypeHeaderValue\b/,
  'System.Text': /\bEncoding\b/,
  'System.Text.RegularExpressions': /\bRegex\b/,
  'System.Threading.Tasks': /\bTask\b/,
};

const eachLine = `using (var lines = new StreamReader(
    await response.Content.ReadAsStreamAsync()))
{
    string line;
    while ((line = await lines.ReadLineAsync()) != null)
    {
        Console.WriteLine(line);
    }
}`;
const text = 'Console.WriteLine(\n    await response.Content.ReadAsStringAsync());';

/** The code for a response that has arrived. */
const readings: Record<Exclude<Reading, 'pages'>, (request: SampleRequest) => string> = {
  status: () => 'Console.WriteLine((int)response.StatusCode);',
  json: () => text,
  text: () => text,
  lines: () => eachLine,
  jsonLines: () => eachLine,
  events: () => eachLine,
  file: ({ response }) => `using (var file = File.Create("${response.file}"))
{
    await response.Content.CopyToAsync(file);
}`,
};

/** The operation with the HttpClient of .NET: `dotnet run` in a console project runs it. */
export function csharpSample(request: SampleRequest): string {
  const { id, remarks, response, secrets } = request;
  const { reading } = response;
  const main =
    reading === 'pages'
      ? loop(request)
      : `${sent(request, url(request), 'response', 'idempotencyKey')}${readings[reading](request)}\n`;
  const keys = secrets.map(
    ({ variable }, index) => `var ${keyName(index)} =
    Environment.GetEnvironmentVariable("${variable}")
    ?? "${request.names.keyPlaceholder}";
`,
  );
  const steps = `${keys.join('')}${keys.length === 0 ? '' : '\n'}${inSequence(request, '//', stepCode, main)}`;
  const code = `
public class ${classNameOf(id)}
{
    static readonly HttpClient client = new HttpClient();

    public static async Task Main()
    {
${indented(steps, '        ')}    }

    // After a 429, Send waits for Retry-After.
    static async Task<HttpResponseMessage> Send(
        Func<HttpRequestMessage> create)
    {
        for (var attempt = 1; ; attempt++)
        {
            var response = await client.SendAsync(create(),
                HttpCompletionOption.ResponseHeadersRead);
            var status = (int)response.StatusCode;
            if (status < 400) return response;
            if (status != 429 || attempt == 4)
            {
                throw new Exception(
                    await response.Content.ReadAsStringAsync());
            }
            await Task.Delay(response.Headers.RetryAfter?.Delta
                ?? TimeSpan.FromSeconds(60));
        }
    }
}
`;
  const used = Object.entries(namespaces)
    .filter(([, pattern]) => pattern.test(code))
    .map(([name]) => `using ${name};\n`);
  return `${remarks.map((remark) => `// ${remark}\n`).join('')}${used.join('')}${code}`;
}

function indented(code: string, indent: string): string {
  return code.replaceAll(/^(?=.)/gm, indent);
}

function keyName(index: number): string {
  return index === 0 ? 'key' : `key${index + 1}`;
}

function stepCode({ request, from, stores }: SampleStep): string {
  const { variable } = stores;
  const result = `${variable}Response`;
  const value =
    from === 'id'
      ? `${result}.Headers.Location\n    .ToString().Split('/').Last()`
      : `${result}.Headers.ETag.ToString()`;
  return `// ${request.summary}\n${sent(request, url(request), result, `${variable}Key`)}var ${variable} = ${value};\n`;
}

function loop(request: SampleRequest): string {
  return `var url =
    ${url(request)};
while (url != null)
{
${indented(sent(request, 'url', 'page', 'idempotencyKey'), '    ')}    Console.WriteLine(
        await page.Content.ReadAsStringAsync());
    var links = page.Headers.Contains("Link")
        ? string.Join(", ", page.Headers.GetValues("Link"))
        : "";
    var next = Regex.Match(links, "<([^>]+)>; rel=\\"next\\"");
    url = next.Success ? next.Groups[1].Value : null;
}
`;
}

function url(request: SampleRequest): string {
  const address = addressOf(request, (variable) => `" + ${variable} + "`);
  return `"${request.baseUrl}${address}"`.replace(/ \+ ""$/, '');
}

/** The statements that send the request. A message can be sent only once, so each attempt creates its own. */
function sent(request: SampleRequest, url: string, result: string, uuid: string): string {
  const { method, body, secrets } = request;
  // HttpClient sets the Content-Type of the body itself.
  const headers = request.headers.map((header) => [header.name, headerValue(header, uuid)]);
  const keys = secrets.map(({ name, prefix }, index) => [
    name,
    prefix === '' ? keyName(index) : `${quoted(prefix)} + ${keyName(index)}`,
  ]);
  const lines = [
    `var request = new HttpRequestMessage(`,
    `    new HttpMethod("${method}"),`,
    `    ${url});`,
    ...[...keys, ...headers].map(([name, value]) => `request.Headers.Add("${name}", ${value});`),
    ...(body === undefined ? [] : content(body)),
    'return request;',
  ];
  const needsUuid = request.headers.some((header) => !('value' in header));
  return `${needsUuid ? `var ${uuid} = Guid.NewGuid().ToString();\n` : ''}var ${result} = await Send(() =>
{
${lines.map((line) => `    ${line}\n`).join('')}});
`;
}

function headerValue(header: SampleHeader, uuid: string): string {
  if (!('value' in header)) return uuid;
  return header.value instanceof Stored ? header.value.variable : quoted(String(header.value));
}

function content(body: SampleBody): string[] {
  if (body.sending === 'file') return file(body.file, body.mediaType, 'request.Content =');
  if (body.sending === 'form' && body.isMultipart) {
    return ['var form = new MultipartFormDataContent();', ...body.fields.flatMap(formField), 'request.Content = form;'];
  }
  return [
    'request.Content = new StringContent(',
    `    ${bodyText(body)},`,
    `    Encoding.UTF8, ${quoted(body.mediaType)});`,
  ];
}

function bodyText(body: Exclude<SampleBody, { sending: 'file' }>): string {
  if (body.sending === 'text') return quoted(body.text);
  if (body.sending === 'form') return quoted(urlEncodedText(body.fields));
  return jsonParts(body.value)
    .map((part) => (part instanceof Stored ? part.variable : quoted(part)))
    .join(' + ');
}

function file(name: string, mediaType: string, assigned: string): string[] {
  return [
    `${assigned} new ByteArrayContent(`,
    `    File.ReadAllBytes(${quoted(name)}));`,
    `${assigned.replace(/^var | =$/g, '')}.Headers.ContentType =`,
    `    new MediaTypeHeaderValue(${quoted(mediaType)});`,
  ];
}

function formField(field: SampleField, index: number): string[] {
  if ('text' in field) return [`form.Add(new StringContent(${quoted(field.text)}), ${quoted(field.name)});`];
  const name = `file${index + 1}`;
  return [
    ...file(field.file, field.mediaType, `var ${name} =`),
    `form.Add(${name}, ${quoted(field.name)}, ${quoted(field.file)});`,
  ];
}

/** A JSON string is also a valid C# string. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
