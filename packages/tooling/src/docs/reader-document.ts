import { type ContractDocument, type OperationObject, rateLimitsOf } from '../contract/document.ts';
import { accessNote, mapOperations, noteOn } from './facts/contract.ts';
import { plansTable } from './facts/tables.ts';
import { duration } from './facts/words.ts';
import { withSamples } from './samples/samples.ts';

/**
 * The contract for Redoc, which shows neither x-rate-limits nor x-codes nor x-stability: the plans and the error codes
 * are added to the description, and the stability as a badge. Each operation gets a note about the key that it needs, and
 * its samples.
 */
export function forReaders(contract: ContractDocument, addressOf: (path: string) => string): ContractDocument {
  const { info, webhooks } = contract;
  const sections = [
    info.description.trimEnd(),
    ...plansSection(contract, addressOf),
    errorsSection(contract, addressOf),
  ];
  return {
    ...contract,
    info: { ...info, description: `${sections.join('\n\n')}\n` },
    paths: mapOperations(withSamples(contract).paths, (operation) =>
      marked(operation, { isWebhook: false, accessNote: accessNote(contract, operation) }),
    ),
    ...(webhooks === undefined
      ? {}
      : { webhooks: mapOperations(webhooks, (webhook) => marked(webhook, { isWebhook: true, accessNote: '' })) }),
  };
}

/** Redoc supports badges, but not x-stability. It marks webhooks itself, but would say that they need API keys. */
function marked(operation: OperationObject, place: { isWebhook: boolean; accessNote: string }): OperationObject {
  const { 'x-stability': stability, description = '' } = operation;
  return {
    ...operation,
    description: `${noteOn(place)}\n\n${description}`.trimStart(),
    ...(place.isWebhook ? { security: [] } : {}),
    ...(stability === 'beta' ? { 'x-badges': [{ name: 'Beta', position: 'after' }] } : {}),
  };
}

function plansSection(contract: ContractDocument, addressOf: (path: string) => string): string[] {
  if (contract['x-rate-limits'] === undefined) return [];
  const { ban, plans } = rateLimitsOf(contract);
  const { toleratedRefusals = 0, firstSeconds = 0, maximumSeconds = 0 } = ban ?? {};
  const banned = `A key that gets more than ${toleratedRefusals} responses with \`429\` in one window is banned for ${duration(firstSeconds)} to
${duration(maximumSeconds)}. [Limits and bans]`;
  return [
    `## ${Object.keys(plans).length === 0 ? 'Limits' : 'Plans'}

${plansTable(contract)}

${ban === undefined ? '[Limits]' : banned}(${addressOf('guides/limits.html')}) explains what to do after a \`429\`.`,
  ];
}

function errorsSection({ components }: ContractDocument, addressOf: (path: string) => string): string {
  // A list, because a table would break the codes into pieces on a narrow screen.
  const entries = Object.entries(components.schemas.ErrorCode['x-codes']).map(
    ([code, { status, cause }]) => `- [\`${code}\`](${addressOf(`errors.html#${code}`)}) (${status}): ${cause}`,
  );
  return `## Error codes\n\nEach code links to what to do about it.\n\n${entries.join('\n')}`;
}
