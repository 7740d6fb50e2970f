import {
  headersWithType,
  type Reading,
  type SampleBody,
  type SampleForm,
  type SampleRequest,
  urlOf,
} from './sample-request.ts';

/** The options for curl to print a response or to save it. */
const readings: Record<Reading, (request: SampleRequest) => string> = {
  status: () => ` --write-out '%{http_code}\\n'`,
  json: () => '',
  text: () => '',
  lines: () => ' --no-buffer',
  file: ({ response }) => ` --output ${response.file}`,
};

/** The operation as one command for a POSIX shell. */
export function curlSample(request: SampleRequest): string {
  const { method, body, form, secret, names, remarks, response } = request;
  const isDefault = method === (body === undefined && form === undefined ? 'GET' : 'POST');
  const methodOption = method === 'HEAD' ? ' --head' : ` -X ${method}`;
  const lines = [
    `curl --fail-with-body${readings[response.reading](request)}${isDefault ? '' : methodOption}`,
    quoted(urlOf(request)),
    ...(secret ? [`-H "${secret.name}: ${secret.prefix}\${${secret.variable}:-${names.keyPlaceholder}}"`] : []),
    ...headersWithType(request).map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [data(body)]),
    ...(form === undefined ? [] : form.fields.map((field) => formField(form, field))),
  ];
  return `${remarks.map((remark) => `# ${remark}\n`).join('')}${lines.join(' \\\n  ')}\n`;
}

function data(body: SampleBody): string {
  if (body.sending === 'json') return `-d ${quoted(JSON.stringify(body.value))}`;
  // -d would remove the line breaks of a file, and would read a file if the text starts with @.
  return body.sending === 'file' ? `--data-binary @${body.file}` : `--data-raw ${quoted(body.text)}`;
}

/** -F would read a file if the text starts with @ or <, and end it at a semicolon. */
function formField({ isMultipart }: SampleForm, field: SampleForm['fields'][number]): string {
  const { name } = field;
  if ('file' in field) return `-F ${quoted(`${name}=@${field.file};type=${field.mediaType}`)}`;
  return `${isMultipart ? '--form-string' : '--data-urlencode'} ${quoted(`${name}=${field.text}`)}`;
}

/** In single quotes, no character has a special meaning in a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
