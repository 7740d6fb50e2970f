import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

export type ExportedName = { name: string; kind: 'function' | 'class' | 'constant' | 'type'; summary: string };

type Described = Omit<ExportedName, 'name'>;

/**
 * The named exports of a module, with the first sentence of their documentation in the declaring module. `export *` from
 * the entry of the package, and `export type *`, are left out.
 */
export function exportsOf(file: string): ExportedName[] {
  const own = declarationsIn(file);
  const names = sourceOf(file).statements.flatMap((statement): ExportedName[] => {
    if (isExported(statement)) return namesOf(statement).map((name) => ({ name, ...described(own, name) }));
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) return [];
    const { moduleSpecifier, exportClause, isTypeOnly } = statement;
    const path = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
    const target = join(dirname(file), path);
    if (exportClause === undefined) return isTypeOnly || path === '../index.ts' ? [] : exportsOf(target);
    if (!ts.isNamedExports(exportClause)) return [];
    // Another package documents its own types.
    const declared: ReadonlyMap<string, Described> = path.startsWith('.') ? declarationsIn(target) : new Map();
    return exportClause.elements.map(({ name, propertyName }) => ({
      name: name.text,
      ...described(declared, (propertyName ?? name).text),
    }));
  });
  return [...new Map(names.map((exported) => [exported.name, exported])).values()];
}

function described(declared: ReadonlyMap<string, Described>, name: string): Described {
  return declared.get(name) ?? { kind: 'type', summary: '' };
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : [];
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const isNamed =
    ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

function kindOf(statement: ts.Statement): ExportedName['kind'] {
  if (ts.isVariableStatement(statement)) return 'constant';
  if (ts.isFunctionDeclaration(statement)) return 'function';
  return ts.isClassDeclaration(statement) ? 'class' : 'type';
}

function declarationsIn(file: string): Map<string, Described> {
  const found = sourceOf(file).statements.flatMap((statement) =>
    namesOf(statement).map((name): [string, Described] => [
      name,
      { kind: kindOf(statement), summary: summaryOf(statement) },
    ]),
  );
  // Of an overloaded function, the first declaration with documentation counts.
  return new Map(found.toReversed().sort(([, one], [, other]) => one.summary.length - other.summary.length));
}

function summaryOf(statement: ts.Statement): string {
  const [comment] = ts.getJSDocCommentsAndTags(statement);
  const text = comment === undefined ? '' : (ts.getTextOfJSDocComment(comment.comment) ?? '');
  return (/^[\s\S]*?\.(?=\s|$)/.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
}

function sourceOf(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext, true);
}
