import { entriesOf } from '../../lint/redocly.ts';
import { addressOf, type SampleRequest } from './request.ts';

/** The operation with `requests`, the library that most Python programs use already. */
export function pythonSample(request: SampleRequest): string {
  const { baseUrl, idempotencyKey, isRepeatable, isPaged, warning } = request;
  // A POST that cannot be repeated is sent again only when the API refused it, not when its reply was lost.
  const lostReplies = isRepeatable ? '' : '    read=0,\n    other=0,\n';
  return `${warning === undefined ? '' : `# ${warning}\n`}import os
${idempotencyKey === undefined ? '' : 'import uuid\n'}
import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

api = "${baseUrl}"
session = requests.Session()
session.headers["Authorization"] = (
    "Bearer " + os.environ["ANIMAL_STORE_KEY"]
)
# After a 429 it waits for Retry-After by itself.
retry = Retry(
    total=3,
    backoff_factor=1,
    status_forcelist=[429, 503],
    allowed_methods=None,
    raise_on_status=False,
${lostReplies})
session.mount(api, HTTPAdapter(max_retries=retry))

${isPaged ? loop(request) : call(request)}`;
}

const check = `if not response.ok:
    error = response.json()
    raise SystemExit(f"{error['code']}: {error['message']}")`;

function loop(request: SampleRequest): string {
  const { method, result } = request;
  return `url = f"{api}${addressOf(request)}"
while url:
    response = session.${method.toLowerCase()}(url, timeout=30)
${check.replaceAll(/^/gm, '    ')}
    for ${snake(result)} in response.json():
        print(${snake(result)})
    url = response.links.get("next", {}).get("url")
`;
}

function call(request: SampleRequest): string {
  const { method, body, idempotencyKey, result } = request;
  const parameters = [
    `f"{api}${addressOf(request)}"`,
    ...(idempotencyKey === undefined ? [] : ['headers={"Idempotency-Key": str(uuid.uuid4())}']),
    ...(body === undefined ? [] : [`json=${literal(body)}`]),
    'timeout=30',
  ];
  const line = parameters.join(', ');
  const shown = line.length <= 60 ? line : `\n    ${parameters.join(',\n    ')},\n`;
  return `response = session.${method.toLowerCase()}(${shown})
${check}
print(${result === undefined ? 'response.status_code' : 'response.json()'})
`;
}

/** A JSON value as Python writes it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  // A text in JSON is a text in Python, too.
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${entriesOf(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${literal(one)}`)
    .join(', ')}}`;
}

function snake(name = 'result'): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
