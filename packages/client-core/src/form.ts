import type { HeadersOptions } from './openapi-fetch.ts';

type Init = { body?: unknown; headers?: HeadersOptions };

/**
 * The options of a call with its body as a form, if it is an object and its media type that of a form. A list repeats its field, and an
 * object in it is sent as JSON. Files come last, because a server may read them as a stream.
 * @param mediaType that of the operation; the headers of the call may name another one
 */
export function withForm<Given extends Init>(init: Given, mediaType = ''): Given {
  const { body, headers = {} } = init;
  const entries: [string, unknown][] = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  const own = entries.find(([name, value]) => /^content-type$/i.test(name) && value !== undefined);
  const [, name] =
    /^(multipart\/form-data|application\/x-www-form-urlencoded)\b/i.exec(String(own?.[1] ?? mediaType)) ?? [];
  if (name === undefined || typeof body !== 'object' || body === null) return init;
  const isObject = Object.getPrototypeOf(body) === Object.prototype;
  const form = isObject ? formOf(body, /^m/i.test(name) ? new FormData() : new URLSearchParams()) : body;
  if (!(form instanceof FormData)) return { ...init, body: form };
  // The platform adds the media type with its boundary. `null` removes a header.
  return { ...init, body: form, headers: { ...Object.fromEntries(entries), [own?.[0] ?? 'Content-Type']: null } };
}

function formOf<Form extends FormData | URLSearchParams>(body: object, form: Form): Form {
  const entries = Object.entries(body).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const));
  for (const [name, value] of entries.sort(([, one], [, other]) => Number(isFile(one)) - Number(isFile(other)))) {
    if (value === undefined) continue;
    if (isFile(value) && form instanceof FormData) form.append(name, value);
    else form.append(name, typeof value === 'object' ? (value ? JSON.stringify(value) : '') : String(value));
  }
  return form;
}

function isFile(value: unknown): value is Blob {
  return value instanceof Blob;
}
