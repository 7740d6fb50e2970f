/** A request made from the fields of a form. */
export type BuiltRequest = {
  url: string;
  init: { method: string; headers: Headers; body?: BuiltBody };
  /** The key or token; empty without one. */
  secret: string;
};

type BuiltBody = string | File;

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Empty fields are not sent. Only the server checks the values, so that readers can see its responses to invalid ones.
 */
export function buildRequest({ dataset }: HTMLElement, form: HTMLFormElement): BuiltRequest {
  const { method = 'GET', path = '' } = dataset;
  const filled = fieldsIn(form, 'path').reduce(
    (url, { name, value }) => url.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = new URLSearchParams();
  for (const field of fieldsIn(form, 'query')) for (const value of valuesOf(field)) query.append(field.name, value);
  const headers = new Headers();
  for (const { name, value } of fieldsIn(form, 'header')) if (value !== '') headers.set(name, value);
  const secret = textOf(form, 'key').trim();
  const { name = 'Authorization', prefix = 'Bearer ' } = form.querySelector<Field>('[name=key]')?.dataset ?? {};
  if (secret !== '') headers.set(name, prefix + secret);
  const body = bodyOf(form);
  if (body !== undefined) headers.set('Content-Type', textOf(form, 'media'));
  const search = query.size === 0 ? '' : `?${query}`;
  return {
    url: `${textOf(form, 'server').replace(/\/$/, '')}${filled}${search}`,
    init: { method, headers, ...(body === undefined ? {} : { body }) },
    secret,
  };
}

function fieldsIn(form: HTMLFormElement, place: string): Field[] {
  return [...form.querySelectorAll<Field>(`[data-in="${place}"]`)];
}

function valuesOf({ dataset, value }: Field): string[] {
  if (dataset['list'] === undefined) return value === '' ? [] : [value];
  return value.split('\n').filter((line) => line !== '');
}

function textOf(form: HTMLFormElement, name: string): string {
  return form.querySelector<Field>(`[name="${name}"]`)?.value ?? '';
}

function bodyOf(form: HTMLFormElement): BuiltBody | undefined {
  const media = textOf(form, 'media');
  const field = form.querySelector<Field>(`[name=body][data-media="${CSS.escape(media)}"]`);
  if (field instanceof HTMLInputElement) return field.files?.[0];
  return field?.value;
}
