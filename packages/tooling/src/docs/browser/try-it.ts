type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Sends the request of a form, and shows the response below it. A stream that does not end within 30 s shows as a failure. */
export async function sendForm(form: HTMLFormElement): Promise<void> {
  const place = form.parentElement?.querySelector('.try-result');
  // A previous response must never look like the response to this request.
  place?.replaceChildren();
  const started = performance.now();
  try {
    const { url, init } = requestOf(form);
    const response = await fetch(url, {
      ...init,
      signal: AbortSignal.timeout(30_000),
      credentials: 'omit',
      cache: 'no-store',
    });
    const text = await response.text();
    const milliseconds = Math.round(performance.now() - started);
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    place?.append(
      element('p', `${response.status} ${response.statusText} in ${milliseconds} ms`, 'try-status'),
      element('pre', readable(text) || 'No body.'),
      ...(response.ok ? [] : [errorLink(text)]),
      element('pre', headers.join('\n')),
    );
  } catch (error) {
    place?.append(element('p', `There is no response: ${error instanceof Error ? error.message : error}`));
  }
}

/**
 * Empty fields are not sent. Only the server checks the values, so that readers can see its responses to invalid ones.
 */
function requestOf(form: HTMLFormElement): { url: string; init: RequestInit } {
  const { method = 'GET', path = '' } = form.dataset;
  const headers = new Headers();
  const query = new URLSearchParams();
  let filled = path;
  let body: string | undefined;
  for (const { name, value, dataset } of form.querySelectorAll<Field>('[data-in]')) {
    const { in: place, prefix = '' } = dataset;
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    if (value === '') continue;
    if (place === 'query') for (const line of value.split('\n')) query.append(name, line);
    if (place === 'header') headers.set(name, prefix + value.trim());
    if (place === 'body') {
      headers.set('Content-Type', name);
      body = value;
    }
  }
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  return { url: `${filled}${query.size === 0 ? '' : `?${query}`}`, init };
}

/** JSON is indented; other text stays as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Links the code in the body of an error to what to do about it. */
function errorLink(text: string): HTMLElement {
  const [, code = ''] = /"code":"(\w+)"/.exec(text) ?? [];
  const link = document.createElement('a');
  link.href = `../errors.html#${code}`;
  link.textContent = `What ${code || 'this error'} means and what to do about it`;
  return link;
}

function element(name: 'p' | 'pre', text: string, className = ''): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  if (name === 'pre') made.tabIndex = 0;
  return made;
}
