import ts from 'typescript';

/**
 * The same declarations with fewer bytes: without the headers of responses, which no call returns as values with types, and with tabs.
 */
export function compactDeclarations(code: string): string {
  const file = ts.createSourceFile('index.d.ts', code, ts.ScriptTarget.Latest, true);
  const removed: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (isHeadersOfResponse(node)) removed.push(node);
    else ts.forEachChild(node, visit);
  };
  visit(file);
  const kept = removed.toReversed().reduce((text, node) => text.slice(0, node.pos) + text.slice(node.end), code);
  return kept.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));
}

/** `headers` next to the `content` of a response. */
function isHeadersOfResponse(node: ts.Node): boolean {
  const isNamed = (member: ts.Node, name: string) =>
    ts.isPropertySignature(member) && ts.isIdentifier(member.name) && member.name.text === name;
  return (
    isNamed(node, 'headers') &&
    ts.isTypeLiteralNode(node.parent) &&
    node.parent.members.some((member) => isNamed(member, 'content'))
  );
}
