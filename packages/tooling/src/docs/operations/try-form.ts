import { listOf } from '../../common/json.ts';
import { type ContractDocument, isSafe, kindOf } from '../../contract/document.ts';
import { flat } from '../../contract/pagination.ts';
import { credentialOf } from '../../contract/security.ts';
import { absoluteServers } from '../../generate/constants.ts';
import { escapeHtml } from '../markup.ts';
import type { OperationDocument } from './documented.ts';

/**
 * The form that sends the operation to the server that served the page. Labels and values come from the contract. It needs
 * JavaScript. A body that is a file or a form has none, because curl sends one as easily.
 */
export function tryForm(contract: ContractDocument, operation: OperationDocument): string {
  const { placed, parameters, body } = operation;
  const [media] = body?.media ?? [];
  if (media !== undefined && ['binary', 'form'].includes(kindOf(media.type))) return '';
  const [server] = absoluteServers(contract);
  const path = new URL(server?.url ?? '').pathname.replace(/\/$/, '') + placed.path;
  return `<details class="try"><summary>Try it</summary>
<form aria-label="Try ${operation.id}" data-method="${placed.method}" data-path="${escapeHtml(path)}" autocomplete="off">
${placed.access === 'public' ? '' : credentialField(contract, placed)}
${parameters.map((parameter) => parameterField(contract, parameter)).join('\n')}
${media === undefined ? '' : bodyField(media.type, media.examples[0]?.text ?? '')}
${warning(placed)}
<button type="submit" class="try-send">Send request</button>
</form>
<div class="try-result" role="status"></div>
</details>`;
}

/** Not a password field: browsers would offer to store it. */
function credentialField(contract: ContractDocument, operation: object): string {
  const { name = 'Authorization', prefix = 'Bearer ' } = credentialOf(contract, operation) ?? {};
  const hint = 'It stays in this page, and is sent only to this server.';
  const attributes = `data-in="header" data-prefix="${prefix}" name="${escapeHtml(name)}"`;
  return field(
    'key',
    prefix === '' ? name : 'API key',
    hint,
    (id) => `<input id="${id}" ${attributes} spellcheck="false">`,
  );
}

function parameterField(contract: object, parameter: OperationDocument['parameters'][number]): string {
  const { name, in: place, schema, isRequired, example } = parameter;
  const merged = flat(contract, schema);
  const attributes = `name="${escapeHtml(name)}" data-in="${place}"${isRequired ? ' required' : ''}`;
  const label = `${name}${isRequired ? ' (required)' : ''}`;
  const choices = merged['type'] === 'boolean' ? [true, false] : listOf(merged['enum']);
  const text = escapeHtml([example ?? ''].flat().join('\n'));
  return field(`${place}-${name}`, label, merged['type'] === 'array' ? 'One value per line.' : '', (id) => {
    if (merged['type'] === 'array')
      return `<textarea id="${id}" ${attributes} rows="2" placeholder="${text}"></textarea>`;
    if (choices.length === 0) {
      const value = isRequired ? `value="${text}"` : `placeholder="${text}"`;
      return `<input id="${id}" ${attributes} ${value} spellcheck="false">`;
    }
    const options = choices.map((choice) => `<option>${escapeHtml(String(choice))}</option>`);
    return `<select id="${id}" ${attributes}>${isRequired ? '' : '<option value="">not sent</option>'}${options.join('')}</select>`;
  });
}

function bodyField(type: string, text: string): string {
  const rows = Math.min(12, Math.max(3, text.split('\n').length + 1));
  const attributes = `data-in="body" name="${escapeHtml(type)}" rows="${rows}" spellcheck="false" class="try-code"`;
  return field(
    'body',
    `Body (${type})`,
    '',
    (id) => `<textarea id="${id}" ${attributes}>\n${escapeHtml(text)}</textarea>`,
  );
}

/** A warning that the request changes data on the server; a DELETE must be confirmed. */
function warning({ method, access }: OperationDocument['placed']): string {
  if (method === 'DELETE')
    return '<p class="try-warning"><label><input type="checkbox" required> Permanently delete it on this server</label></p>';
  if (isSafe(method) && access !== 'write') return '';
  return '<p class="try-warning">This request changes data on this server.</p>';
}

function field(name: string, label: string, hint: string, input: (id: string) => string): string {
  const id = `try-${escapeHtml(name)}`;
  const note = hint === '' ? '' : `<small>${hint}</small>`;
  return `<div class="try-field"><label for="${id}">${escapeHtml(label)}</label>${input(id)}${note}</div>`;
}
