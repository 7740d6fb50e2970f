import { entriesOf } from '../../common/json.ts';
import { keyPlaceholder, keyVariable } from './request.ts';
import { allHeaders, callsOf, type JsonRequest, urlOf, withVariables } from './sample-request.ts';

/** The operation with `requests`, the most common HTTP library for Python. */
export function pythonSample(sample: JsonRequest): string {
  const calls = callsOf(sample, '#').map(({ title, name, request }) => {
    const { method, body, response } = request;
    const headers = allHeaders(request)
      // `requests` sets application/json itself.
      .filter(({ name, value }) => name !== 'Content-Type' || value !== 'application/json')
      .map(({ name, value }) => `"${name}": ${literal(value)}`);
    const headersOnLines = `headers={\n${headers.map((header) => `        ${header},\n`).join('')}    }`;
    const parameters = [
      literal(urlOf(request)),
      ...(headers.length === 0 ? [] : [headersOnLines]),
      ...(body === undefined ? [] : [`json=${literal(body.value)}`]),
      'timeout=30',
    ];
    const print = `print(response.${response.reading === 'status' ? 'status_code' : 'json()'})`;
    return `${title}response = requests.${method.toLowerCase()}(
${parameters.map((parameter) => `    ${parameter},\n`).join('')})
if not response.ok:
    raise SystemExit(response.text)
${name ? `${snakeCase(name)} = response.json()["id"]` : print}
`;
  });
  const key = sample.secret ? `key = os.environ.get("${keyVariable}", "${keyPlaceholder}")\n` : '';
  return `${key && 'import os\n\n'}import requests

${key}${calls.join('\n')}`;
}

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A JSON value as a Python literal. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  // A JSON string is also a valid Python string.
  const json = JSON.stringify(value);
  const filled = withVariables(json, (name) => `{${snakeCase(name)}}`);
  if (filled !== json && typeof value === 'string') return `f${filled}`.replace(/^f"\{(\w+)\}"$/, '$1');
  if (typeof value !== 'object') return json;
  return `{${entriesOf(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${literal(one)}`)
    .join(', ')}}`;
}
