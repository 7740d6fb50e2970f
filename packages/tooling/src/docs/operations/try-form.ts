import { isKeyScheme, keyPage } from '@contract-first/service/manifest';
import { type ContractDocument, isSafe, keyPrefix } from '../../contract/document.ts';
import { credentialOf, schemesOf } from '../../contract/security.ts';
import { type Contract, flatSchema, list } from '../facts/schema-words.ts';
import { testServersFirst } from '../samples/request.ts';
import { escapeHtml } from '../shell/markup.ts';
import type { Media, OperationDocument } from './documented.ts';

/**
 * The form that sends the operation from its page. It is part of the page, so that labels and values come from the contract;
 * the script that sends it is loaded when the form is opened. Without JavaScript it is hidden. A body that is a form has none, because
 * curl sends one as easily.
 */
export function tryForm(contract: ContractDocument, operation: OperationDocument, script: string): string {
  const { method, path, placed, id, responses } = operation;
  if (operation.body?.media.some(({ isForm }) => isForm)) return '';
  const headers = responses.flatMap(({ headers: own }) => own.map(({ name }) => name));
  const data = {
    module: script,
    method,
    path,
    errors: '../errors.html',
    headers: [...new Set(headers)].join(' '),
  };
  const attributes = Object.entries(data).map(([name, value]) => `data-${name}="${escapeHtml(value)}"`);
  return `<details class="try" ${attributes.join(' ')}><summary>Try it</summary>
<form aria-label="Try ${escapeHtml(id)}" autocomplete="off">
${serverField(contract)}
${placed.access === 'public' ? '' : credentialField(contract, placed)}
${operation.parameters.map((parameter) => parameterField(contract, parameter)).join('\n')}
${operation.body === undefined ? '' : bodyFields(operation.body)}
${warning(operation)}
<p class="try-actions"><button type="submit" class="try-send">Send request</button><button type="button" class="try-stop" hidden>Stop</button></p>
</form>
<div class="try-result" role="status"></div>
</details>`;
}

export function serverField({ servers }: ContractDocument): string {
  const options = testServersFirst(servers).map(
    ({ url, description }) => `<option value="${escapeHtml(url)}">${escapeHtml(`${description}: ${url}`)}</option>`,
  );
  return field('server', 'Server', '', `<select id="try-server" name="server">${options.join('')}</select>`);
}

/** The field for what the operation asks for. */
export function credentialField(contract: ContractDocument, operation: object): string {
  const sent = credentialOf(contract, operation);
  if (sent === undefined) return '';
  const isBearer = sent.prefix !== '';
  if (isBearer && Object.values(schemesOf(contract)).every(isKeyScheme)) return keyField(contract);
  const hint = 'It stays in the memory of this tab until you reload or close it, and is sent only to this API.';
  const attributes = `data-name="${escapeHtml(sent.name)}" data-prefix="${escapeHtml(sent.prefix)}"`;
  return field(
    'key',
    isBearer ? 'Token' : sent.name,
    hint,
    `<input id="try-key" name="key" ${attributes} type="text" autocapitalize="off" spellcheck="false" aria-describedby="try-key-hint">`,
  );
}

/** Not a password field: browsers would offer to store it. */
function keyField(contract: ContractDocument): string {
  const prefix = keyPrefix(contract) ?? 'key';
  const hint = `The key stays in the memory of this tab until you reload or close it, and is sent only to this API. Test keys (${prefix}_test_…) work on test servers. Live keys (${prefix}_live_…) work on the live server.`;
  return field(
    'key',
    'API key',
    hint,
    `<input id="try-key" name="key" type="text" autocapitalize="off" spellcheck="false" placeholder="${prefix}_test_…" aria-describedby="try-key-hint"><a href="../${keyPage}">Get a key</a>`,
  );
}

function parameterField(contract: Contract, parameter: OperationDocument['parameters'][number]): string {
  const { name, in: place, schema, isRequired, example } = parameter;
  const flat = flatSchema(contract, schema);
  const id = `try-${place}-${name}`;
  const attributes = `id="${id}" name="${escapeHtml(name)}" data-in="${place}"${isRequired ? ' required' : ''}`;
  const type = flat['type'];
  const label = `${name}${isRequired ? ' (required)' : ''}`;
  const choices = type === 'boolean' ? [true, false] : list(flat['enum']);
  if (type === 'array') {
    const placeholder = Array.isArray(example) ? escapeHtml(example.join('\n')) : '';
    const input = `<textarea ${attributes} data-list rows="2" placeholder="${placeholder}" aria-describedby="${id}-hint"></textarea>`;
    return field(`${place}-${name}`, label, 'One value per line.', input);
  }
  if (choices.length > 0) {
    const options = choices.map((choice) => `<option>${escapeHtml(String(choice))}</option>`);
    const none = isRequired ? '' : '<option value="">not sent</option>';
    return field(`${place}-${name}`, label, '', `<select ${attributes}>${none}${options.join('')}</select>`);
  }
  const text = example === undefined ? '' : escapeHtml(String(example));
  const isNumber = type === 'integer' || type === 'number';
  const value = isRequired && place === 'path' ? ` value="${text}"` : ` placeholder="${text}"`;
  const uuid = name === 'Idempotency-Key' ? ' data-uuid' : '';
  const input = `<input ${attributes} type="text"${isNumber ? ' inputmode="decimal"' : ''}${value}${uuid} spellcheck="false">`;
  return field(`${place}-${name}`, label, '', input);
}

function bodyFields({ media }: NonNullable<OperationDocument['body']>): string {
  const types = media.map(({ type }) => `<option>${escapeHtml(type)}</option>`);
  const choice =
    media.length === 1
      ? `<input type="hidden" name="media" value="${escapeHtml(media[0]?.type ?? '')}">`
      : field('media', 'Content-Type', '', `<select id="try-media" name="media">${types.join('')}</select>`);
  return `${choice}${media.map((one, index) => bodyField(one, index)).join('')}`;
}

/** One field for each media type; the chosen one is sent. */
function bodyField({ type, examples, isBinary }: Media, index: number): string {
  const id = `body-${index}`;
  const attributes = `id="try-${id}" name="body" data-media="${escapeHtml(type)}"`;
  if (isBinary) return field(id, `File (${type})`, '', `<input ${attributes} type="file">`);
  const [first] = examples;
  const choices = examples.map(
    ({ name, summary, text }) =>
      `<option value="${escapeHtml(text)}">${escapeHtml(summary === '' ? name : summary)}</option>`,
  );
  const chooser =
    examples.length < 2
      ? ''
      : field(
          `example-${index}`,
          'Example',
          '',
          `<select id="try-example-${index}" data-fills="try-${id}">${choices.join('')}</select>`,
        );
  const text = first?.text ?? '';
  const rows = Math.min(12, Math.max(3, text.split('\n').length + 1));
  const area = `<textarea ${attributes} rows="${rows}" spellcheck="false" class="try-code">\n${escapeHtml(text)}</textarea>`;
  return `${chooser}${field(id, `Body (${type})`, '', area)}`;
}

/** A warning that the request changes data on the server; a DELETE must be confirmed. */
function warning({ method, placed }: OperationDocument): string {
  if (method === 'DELETE')
    return '<p class="try-warning"><label><input type="checkbox" name="confirmed" required> Permanently delete it on the selected server</label></p>';
  if (isSafe(method) && placed.access !== 'write') return '';
  return '<p class="try-warning">This request changes data on the selected server.</p>';
}

function field(id: string, label: string, hint: string, input: string): string {
  const note = hint === '' ? '' : `<small id="try-${id}-hint">${escapeHtml(hint)}</small>`;
  return `<div class="try-field"><label for="try-${escapeHtml(id)}">${escapeHtml(label)}</label>${input}${note}</div>`;
}
