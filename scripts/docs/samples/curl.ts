import { addressOf, type SampleRequest } from './request.ts';

/** The operation as one command for a POSIX shell. */
export function curlSample(request: SampleRequest): string {
  const { method, baseUrl, body, idempotencyKey, isRepeatable, isPaged, warning } = request;
  const comments = [
    warning,
    isRepeatable ? 'After a 429, --retry waits for Retry-After.' : undefined,
    idempotencyKey === undefined ? undefined : 'Each new request takes a new Idempotency-Key.',
    isPaged ? 'Link in the headers leads to the next page.' : undefined,
  ];
  const options = [
    '--fail-with-body',
    ...(isRepeatable ? ['--retry 3'] : []),
    ...(isPaged ? ['--include'] : []),
    ...(method === (body === undefined ? 'GET' : 'POST') ? [] : [`-X ${method}`]),
  ];
  const lines = [
    `curl ${options.join(' ')}`,
    quoted(baseUrl + addressOf(request)),
    '-H "Authorization: Bearer $ANIMAL_STORE_KEY"',
    ...(idempotencyKey === undefined ? [] : [`-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return [...comments.flatMap((line) => (line === undefined ? [] : [`# ${line}`])), lines.join(' \\\n  '), ''].join(
    '\n',
  );
}

/** Nothing in single quotes means anything to a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
