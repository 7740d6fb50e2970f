import { keyPlaceholder, keyVariable } from './request.ts';
import {
  allHeaders,
  callsOf,
  jsonOf,
  type Reading,
  type SampleBody,
  type SampleForm,
  type SampleRequest,
  urlOf,
  withVariables,
} from './sample-request.ts';

/** The options for curl to print a response or to save it. */
const readings: Partial<Record<Reading, (request: SampleRequest) => string>> = {
  status: () => ` --write-out '%{http_code}\\n'`,
  lines: () => ' --no-buffer',
  file: ({ response }) => ` --output ${response.file}`,
};

/** The operation as a command for a POSIX shell, after those that create what it uses up. */
export function curlSample(sample: SampleRequest): string {
  const commands = callsOf(sample, '#').map(({ title, name, request }) => {
    if (name === undefined) return `${title}${commandOf(request)}\n`;
    const command = commandOf(request).replace('curl', 'curl --silent --show-error');
    return `${title}${name}=$(${command} |\n  sed 's/.*"id":\\([0-9]*\\).*/\\1/')\n`;
  });
  return commands.join('');
}

function commandOf(request: SampleRequest): string {
  const { method, body, form, response } = request;
  const isDefault = method === (body === undefined && form === undefined ? 'GET' : 'POST');
  const methodOption = method === 'HEAD' ? ' --head' : ` -X ${method}`;
  const lines = [
    `curl --fail-with-body${readings[response.reading]?.(request) ?? ''}${isDefault ? '' : methodOption}`,
    quoted(urlOf(request)),
    ...allHeaders(request).map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [data(body)]),
    ...(form === undefined ? [] : form.fields.map((field) => formField(form, field))),
  ];
  return lines.join(' \\\n  ');
}

function data(body: SampleBody): string {
  if (body.sending === 'json') return `-d ${quoted(jsonOf(body))}`;
  // -d would remove the line breaks of a file, and would read a file if the text starts with @.
  return body.sending === 'file' ? `--data-binary @${body.file}` : `--data-raw ${quoted(body.text)}`;
}

/** -F would read a file if the text starts with @ or <, and end it at a semicolon. */
function formField({ isMultipart }: SampleForm, field: SampleForm['fields'][number]): string {
  const { name } = field;
  if ('file' in field) return `-F ${quoted(`${name}=@${field.file};type=${field.mediaType}`)}`;
  return `${isMultipart ? '--form-string' : '--data-urlencode'} ${quoted(`${name}=${field.text}`)}`;
}

/** In single quotes, no character has a special meaning in a shell. Variables need double quotes. */
function quoted(text: string): string {
  const escaped = text.replaceAll(/["\\`$]/g, '\\$&');
  const filled = withVariables(escaped, (name) => `\${${name === 'key' ? `${keyVariable}:-${keyPlaceholder}` : name}}`);
  return filled === escaped ? `'${text.replaceAll("'", "'\\''")}'` : `"${filled}"`;
}
