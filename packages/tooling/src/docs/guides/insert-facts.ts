import type { Facts } from '../facts/facts.ts';
import { GuideError, type GuideSource } from './guide.ts';

const placeholder = /\{\{([^{}]*)\}\}/g;

/**
 * The text of a guide with each `{{name}}` replaced by the fact from the contract. @throws GuideError with the line of an
 * unknown placeholder
 */
export function insertFacts({ file, text }: Pick<GuideSource, 'file' | 'text'>, facts: Facts): string {
  const lines = text.split('\n').map((line, index) =>
    line.replaceAll(placeholder, (_whole, name: string) => {
      const fact = facts.get(name.trim());
      if (fact !== undefined) return fact;
      throw new GuideError(file, index + 1, `{{${name}}} stands for nothing.${advice(name.trim(), facts)}`);
    }),
  );
  return lines.join('\n');
}

/** The names with the same beginning, because mistakes are usually at the end. */
function advice(name: string, facts: Facts): string {
  const [group = ''] = name.split('.');
  const alike = [...facts.keys()].filter((candidate) => candidate.startsWith(`${group}.`));
  const shown = alike.length === 0 ? [...new Set([...facts.keys()].map((key) => key.split('.')[0]))] : alike;
  return ` There is: ${shown.join(', ')}.`;
}
