/** The package has no types of its own. */
declare module 'textlint-rule-terminology' {
  import type { TextlintRuleModule } from '@textlint/kernel';

  type Term = string | [pattern: string, replacement: string];
  const rule: TextlintRuleModule;
  // biome-ignore lint/style/noDefaultExport: the package has this export
  export default rule;
  export function getTerms(defaultTerms: boolean, terms: Term[], exclude: string[]): Term[];
}
