import type { ContractDocument } from '../../contract/document.ts';
import { escapeHtml } from '../shell/markup.ts';
import type { OperationDocument } from './documented.ts';

/** The operations of each tag in the order of the contract, then the webhooks. */
export function operationGroups(all: readonly OperationDocument[]): [title: string, operations: OperationDocument[]][] {
  const titleOf = ({ placed }: OperationDocument) => (placed.isWebhook ? 'Webhooks' : placed.tag);
  return [...new Set(all.map(titleOf))].map((title) => [title, all.filter((one) => titleOf(one) === title)]);
}

/** The menu of the reference; `current` is a page of it, or undefined for the index. */
export function operationMenu(
  contract: ContractDocument,
  all: readonly OperationDocument[],
  current?: OperationDocument,
): string {
  const overview = link('index.html', 'Overview', current === undefined);
  const groups = operationGroups(all).map(([title, operations]) => {
    const links = operations.map((one) => link(`${one.id}.html`, one.placed.summary, one === current, badge(one)));
    return `<h2>${escapeHtml(title)}</h2><ul>${links.join('')}</ul>`;
  });
  const others = [
    link('../errors.html', 'Error codes', false),
    link('../reference.html', 'One-page reference', false),
    link('../openapi.yaml', 'openapi.yaml', false),
  ];
  const entries = `<ul>${overview}</ul>${groups.join('')}<h2>More</h2><ul>${others.join('')}</ul>`;
  const title = current?.placed.summary ?? 'Overview';
  return `<nav class="guide-menu" aria-label="${escapeHtml(contract.info.title)} reference">${entries}</nav>
<details class="guide-menu-folded"><summary>Reference: <strong>${escapeHtml(title)}</strong></summary>
<nav aria-label="All operations">${entries}</nav></details>`;
}

function link(address: string, title: string, isCurrent: boolean, after = ''): string {
  return `<li><a href="${address}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}${after}</a></li>`;
}

function badge({ method, placed }: OperationDocument): string {
  return placed.isWebhook ? '' : `<span class="menu-method is-${method.toLowerCase()}">${method}</span>`;
}
