import { entriesOf } from '../../common/json.ts';
import { headersWithType, type JsonRequest, urlOf } from './sample-request.ts';

/** The operation with `requests`, the most common HTTP library for Python. */
export function pythonSample(request: JsonRequest): string {
  const { method, body, secret, names, response, remarks } = request;
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
    ...(body === undefined ? [] : [`json=${literal(body.value)}`]),
    'timeout=30',
  ];
  const key = secret && `key = os.environ.get("${secret.variable}", "${names.keyPlaceholder}")\n`;
  return `${remarks.map((remark) => `# ${remark}\n`).join('')}${secret === undefined ? '' : 'import os\n\n'}import requests

${key ?? ''}response = requests.${method.toLowerCase()}(
${parameters.map((parameter) => `    ${parameter},\n`).join('')})
if not response.ok:
    raise SystemExit(response.text)
print(response.${response.reading === 'status' ? 'status_code' : 'json()'})
`;
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
