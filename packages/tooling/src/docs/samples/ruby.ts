import { entriesOf } from '../../common/json.ts';
import {
  addressOf,
  headersWithType,
  type Reading,
  type SampleBody,
  type SampleField,
  type SampleHeader,
  type SampleRequest,
  urlEncodedText,
} from './sample-request.ts';
import { inSequence, type SampleStep, Stored, snake } from './steps.ts';

/** The standard libraries by the name that uses them. */
const libraries = { JSON: 'json', 'Net::HTTP': 'net/http', SecureRandom: 'securerandom' };

/** The code for a response that has arrived. A stream prints its parts as they arrive instead. */
const readings: Record<Exclude<Reading, 'pages'>, ((request: SampleRequest) => string) | 'stream'> = {
  status: () => 'puts response.code',
  json: () => 'puts response.body',
  text: () => 'puts response.body',
  lines: 'stream',
  jsonLines: 'stream',
  events: 'stream',
  file: ({ response }) => `File.binwrite(${quoted(response.file)}, response.body)`,
};

const whole = `    response = Net::HTTP.start(uri.host, uri.port, options) do |http|
      http.request(request)
    end`;
const inParts = `    response = Net::HTTP.start(uri.host, uri.port, options) do |http|
      http.request(request) do |started|
        next if started.code.to_i >= 400
        started.read_body { |part| print part }
      end
    end`;

/** The operation with the standard library of Ruby 3: `ruby sample.rb` runs it. */
export function rubySample(request: SampleRequest): string {
  const { secrets, response, remarks } = request;
  const reading = response.reading === 'pages' ? undefined : readings[response.reading];
  const keys = secrets.map(
    ({ variable }, index) => `${keyName(index)} = ENV.fetch("${variable}", "${request.names.keyPlaceholder}")\n`,
  );
  const code = `${keys.join('')}${keys.length === 0 ? '' : '\n'}# After a 429, it waits for Retry-After.
def deliver(request)
  uri = request.uri
  options = { use_ssl: uri.scheme == "https", read_timeout: 30 }
  (1..).each do |attempt|
${reading === 'stream' ? inParts : whole}
    return response if response.code.to_i < 400
    raise response.body if response.code != "429" || attempt == 4
    sleep Integer(response["Retry-After"] || 60)
  end
end

${inSequence(request, '#', stepCode, reading === undefined ? loop(request) : call(request, reading))}`;
  const required = Object.entries(libraries)
    .filter(([name]) => code.includes(name))
    .map(([, library]) => `require "${library}"\n`);
  return `${remarks.map((remark) => `# ${remark}\n`).join('')}${required.join('')}\n${code}`;
}

function keyName(index: number): string {
  return index === 0 ? 'key' : `key${index + 1}`;
}

function stepCode({ request, from, stores }: SampleStep): string {
  const value = from === 'id' ? 'JSON.parse(response.body)["id"]' : 'response["ETag"]';
  return `# ${request.summary}\n${built(request, url(request), '')}response = deliver(request)\n${snake(stores.variable)} = ${value}\n`;
}

function call(request: SampleRequest, reading: (typeof readings)[keyof typeof readings]): string {
  const code = built(request, url(request), '');
  return reading === 'stream'
    ? `${code}deliver(request)\n`
    : `${code}response = deliver(request)\n${reading(request)}\n`;
}

function loop(request: SampleRequest): string {
  return `url = ${url(request)}
while url
${built(request, 'url', '  ')}  page = deliver(request)
  puts page.body
  url = page["Link"].to_s[/<([^>]+)>; rel="next"/, 1]
end
`;
}

function url(request: SampleRequest): string {
  return `"${request.baseUrl}${addressOf(request, (variable) => `#{${snake(variable)}}`)}"`;
}

/** The statements that make the request. */
function built(request: SampleRequest, url: string, indent: string): string {
  const { method, body, secrets } = request;
  const kind = `${method.charAt(0)}${method.slice(1).toLowerCase()}`;
  const lines = [
    `request = Net::HTTP::${kind}.new(`,
    `  URI(${url})`,
    ')',
    ...secrets.map(({ name, prefix }, index) => `request[${quoted(name)}] = "${prefix}#{${keyName(index)}}"`),
    ...headersWithType(request).map((header) => `request[${quoted(header.name)}] = ${headerValue(header)}`),
    ...(body === undefined ? [] : [data(body)]),
  ];
  return lines.map((line) => `${indent}${line}\n`).join('');
}

function headerValue(header: SampleHeader): string {
  if (!('value' in header)) return 'SecureRandom.uuid';
  return header.value instanceof Stored ? snake(header.value.variable) : quoted(String(header.value));
}

function data(body: SampleBody): string {
  if (body.sending === 'json') return `request.body = JSON.generate(${literal(body.value)})`;
  if (body.sending === 'file') return `request.body = File.binread(${quoted(body.file)})`;
  if (body.sending === 'text') return `request.body = ${quoted(body.text)}`;
  if (!body.isMultipart) return `request.body = ${quoted(urlEncodedText(body.fields))}`;
  return `request.set_form([${body.fields.map(formField).join(', ')}], "multipart/form-data")`;
}

function formField(field: SampleField): string {
  const name = quoted(field.name);
  if ('text' in field) return `[${name}, ${quoted(field.text)}]`;
  return `[${name}, File.open(${quoted(field.file)}), { content_type: ${quoted(field.mediaType)} }]`;
}

/** A JSON value as a Ruby literal. */
function literal(value: unknown): string {
  if (value instanceof Stored) return snake(value.variable);
  if (value === null || value === undefined) return 'nil';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return String(value);
  const entries = entriesOf(value).map(
    ([name, one]) => `${/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)}: ${literal(one)}`,
  );
  return `{ ${entries.join(', ')} }`;
}

/** A JSON string is also a Ruby string, except that `#` may begin code. */
function quoted(value: string): string {
  return JSON.stringify(value).replaceAll('#', '\\#');
}
