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

import { inSequence, jsonParts, type SampleStep, Stored } from './steps.ts';

/** The PHP code for a response that has arrived. A stream prints its parts as they arrive instead. */
const readings: Record<Exclude<Reading, 'pages'>, ((request: SampleRequest) => string) | 'stream'> = {
  status: () => 'echo $response["status"], "\\n";',
  json: () => 'echo $response["body"], "\\n";',
  text: () => 'echo $response["body"], "\\n";',
  lines: 'stream',
  jsonLines: 'stream',
  events: 'stream',
  file: ({ response }) => `file_put_contents(${quoted(response.file)}, $response["body"]);`,
};

/** The operation with PHP 8 and its curl extension: `php sample.php` runs it. */
export function phpSample(request: SampleRequest): string {
  const { secrets, response, remarks } = request;
  const reading = response.reading === 'pages' ? undefined : readings[response.reading];
  const read = secrets.map(
    ({ variable }, index) => `$${keyName(index)} = getenv("${variable}") ?: ${quoted(request.names.keyPlaceholder)};\n`,
  );
  const key = read.length === 0 ? '' : `${read.join('')}\n`;
  return `<?php
${remarks.map((remark) => `// ${remark}\n`).join('')}${key}// After a 429, it waits for Retry-After.
$send = function (string $url, array $options) {
    for ($attempt = 1; ; $attempt++) {
        $body = "";
        $headers = [];
        $curl = curl_init($url);
        curl_setopt_array($curl, $options + [
            CURLOPT_TIMEOUT => 30,
            CURLOPT_HEADERFUNCTION => function ($curl, $line) use (&$headers) {
                [$name, $value] = explode(":", $line, 2) + [1 => ""];
                $headers[strtolower($name)] = trim($value);
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => function ($curl, $part) use (&$body) {
                ${reading === 'stream' ? streamed : '$body .= $part;'}
                return strlen($part);
            },
        ]);
        if (!curl_exec($curl)) throw new RuntimeException(curl_error($curl));
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($status < 400) return compact("status", "headers", "body");
        if ($status !== 429 || $attempt === 4) throw new RuntimeException($body);
        sleep((int) ($headers["retry-after"] ?? 60));
    }
};

${inSequence(request, '//', stepCode, reading === undefined ? loop(request) : call(request, reading))}`;
}

const streamed = `if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) < 400) echo $part;
                else $body .= $part;`;

function stepCode({ request, from, stores }: SampleStep): string {
  const response = `$send(${url(request)}, ${options(request, '')})`;
  const value = from === 'id' ? `json_decode(${response}["body"])->id` : `${response}["headers"]["etag"]`;
  return `// ${request.summary}\n$${stores.variable} = ${value};\n`;
}

function url(request: SampleRequest): string {
  const address = request.baseUrl + addressOf(request, (variable) => `$${variable}`);
  return address.includes('$') ? `"${address}"` : quoted(address);
}

function call(request: SampleRequest, reading: (typeof readings)[keyof typeof readings]): string {
  const sending = `$send(${url(request)}, ${options(request, '')});\n`;
  return reading === 'stream' ? sending : `$response = ${sending}${reading(request)}\n`;
}

function loop(request: SampleRequest): string {
  return `$url = ${url(request)};
while ($url !== null) {
    $page = $send($url, ${options(request, '    ')});
    echo $page["body"], "\\n";
    $link = $page["headers"]["link"] ?? "";
    $hasNext = preg_match('/<([^>]+)>; rel="next"/', $link, $found);
    $url = $hasNext ? $found[1] : null;
}
`;
}

function keyName(index: number): string {
  return index === 0 ? 'key' : `key${index + 1}`;
}

function options(request: SampleRequest, indent: string): string {
  const { method, body, secrets } = request;
  const headers = [
    ...secrets.map(({ name, prefix }, index) => `"${name}: ${prefix}$${keyName(index)}"`),
    ...headersWithType(request).map(headerText),
  ];
  const lines = [
    ...(method === 'HEAD' ? ['CURLOPT_NOBODY => true,'] : []),
    ...(method === 'GET' || method === 'HEAD' ? [] : [`CURLOPT_CUSTOMREQUEST => ${quoted(method)},`]),
    ...(headers.length === 0 ? [] : ['CURLOPT_HTTPHEADER => [', ...headers.map((header) => `    ${header},`), '],']),
    ...(body === undefined ? [] : [`CURLOPT_POSTFIELDS => ${data(body)},`]),
  ];
  return lines.length === 0 ? '[]' : `[\n${lines.map((line) => `${indent}    ${line}\n`).join('')}${indent}]`;
}

function headerText(header: SampleHeader): string {
  const { name } = header;
  if (!('value' in header)) return `"${name}: " . bin2hex(random_bytes(16))`;
  return header.value instanceof Stored ? `"${name}: $${header.value.variable}"` : quoted(`${name}: ${header.value}`);
}

function data(body: SampleBody): string {
  if (body.sending === 'file') return `file_get_contents(${quoted(body.file)})`;
  if (body.sending === 'text') return quoted(body.text);
  if (body.sending === 'form') {
    if (!body.isMultipart) return quoted(urlEncodedText(body.fields));
    return `[${body.fields.map((field) => `${quoted(field.name)} => ${formValue(field)}`).join(', ')}]`;
  }
  const parts = jsonParts(body.value).map((part) => (part instanceof Stored ? `$${part.variable}` : quoted(part)));
  return parts.join(' . ');
}

function formValue(field: SampleField): string {
  return 'file' in field ? `new CURLFile(${quoted(field.file)}, ${quoted(field.mediaType)})` : quoted(field.text);
}

/** In single quotes, only the backslash and the single quote are special. */
function quoted(text: string): string {
  if (/^[\w:/.?=&%+ -]*$/.test(text)) return `"${text}"`;
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
