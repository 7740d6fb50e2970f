import { entriesOf } from '../../common/json.ts';
import { headersWithType, type Reading, type SampleBody, type SampleRequest, urlOf } from './sample-request.ts';

/** Without a charset in Content-Type, `requests` decodes text as ISO 8859-1. */
const utf8 = 'response.encoding = "utf-8"\n';

/** The code for a response. */
const readings: Record<Reading, (request: SampleRequest) => string> = {
  status: () => 'print(response.status_code)',
  json: () => 'print(response.json())',
  text: () => `${utf8}print(response.text)`,
  lines: () => `${utf8}for line in response.iter_lines(decode_unicode=True):\n    print(line)`,
  file: ({ response }) => `with open("${response.file}", "wb") as file:
    for chunk in response.iter_content(65536):
        file.write(chunk)`,
};

/** The operation with `requests`, the most common HTTP library for Python. */
export function pythonSample(request: SampleRequest): string {
  const { method, body, secret, names, response, remarks } = request;
  const { reading } = response;
  // `requests` sets application/json itself.
  const own = body?.mediaType === 'application/json' ? request.headers : headersWithType(request);
  const headers = [
    ...(secret ? [`"${secret.name}": ${secret.prefix === '' ? 'key' : `f"${secret.prefix}{key}"`}`] : []),
    ...own.map(({ name, value }) => `"${name}": ${JSON.stringify(String(value))}`),
  ];
  const inLine = `headers={${headers.join(', ')}}`;
  const onLines = `headers={\n${headers.map((header) => `        ${header},\n`).join('')}    }`;
  const parameters = [
    JSON.stringify(urlOf(request)),
    ...(headers.length === 0 ? [] : [headers.length === 1 ? inLine : onLines]),
    ...(body === undefined ? [] : [data(body)]),
    ...(reading === 'lines' || reading === 'file' ? ['stream=True'] : []),
    'timeout=30',
  ];
  const key = secret && `key = os.environ.get("${secret.variable}", "${names.keyPlaceholder}")\n`;
  const code = `import requests

${key ?? ''}response = requests.${method.toLowerCase()}(
${parameters.map((parameter) => `    ${parameter},\n`).join('')})
if not response.ok:
    raise SystemExit(response.text)
${readings[reading](request)}
`;
  const imports = [
    ...(secret === undefined ? [] : ['import os\n']),
    ...(code.includes('Path(') ? ['from pathlib import Path\n'] : []),
  ];
  const start = [...remarks.map((remark) => `# ${remark}\n`), ...imports].join('');
  return `${start}${imports.length === 0 ? '' : '\n'}${code}`;
}

function data(body: SampleBody): string {
  if (body.sending === 'json') return `json=${literal(body.value)}`;
  return body.sending === 'file'
    ? `data=Path("${body.file}").read_bytes()`
    : `data=${JSON.stringify(body.text)}.encode()`;
}

/** A JSON value as a Python literal. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  // A JSON string is also a valid Python string.
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${entriesOf(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${literal(one)}`)
    .join(', ')}}`;
}
