/** npm run check: whether a migration of PostgreSQL would block callers while it reads or rewrites a large table. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextStatement, splitStatements, withoutComments } from '@contract-first/service/migrations';
import { root } from '../project.ts';

const folder = 'packages/{service/src,server/src/operations}/storage/migrations/postgres';

/** What a statement does that blocks callers, and what to write instead. The first match counts. */
const blocking: readonly [statement: RegExp, advice: string][] = [
  [
    /\bCONCURRENTLY\b/i,
    'Migrations run in a transaction, in which PostgreSQL refuses CONCURRENTLY. Omit it: the server adds it on large tables.',
  ],
  [
    /^CREATE (UNIQUE )?INDEX (?!IF NOT EXISTS \w+ ON \w+)/i,
    'Blocks writes while it reads the table. Write CREATE INDEX IF NOT EXISTS name ON table, which the server builds CONCURRENTLY on large tables.',
  ],
  [
    /^ALTER TABLE .*\bADD (COLUMN )?(IF NOT EXISTS )?(?!CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE).*\b(GENERATED|(big|small)?serial|UNIQUE|PRIMARY KEY|REFERENCES|CHECK|DEFAULT [^,]*\()/i,
    'Reads or rewrites the whole table. Add a column that is nullable or has a constant as its default, and nothing else in the same statement.',
  ],
  [
    /^ALTER TABLE .*\bADD (CONSTRAINT \w+ )?(UNIQUE|PRIMARY KEY) (?!USING INDEX)/i,
    'Builds an index while it blocks all callers. Create the unique index with IF NOT EXISTS in the migration before, then ADD CONSTRAINT … USING INDEX.',
  ],
  [/^ALTER TABLE .*\bADD (CONSTRAINT \w+ )?EXCLUDE\b/i, 'Builds an index while it blocks all callers.'],
  [
    /^ALTER TABLE (?!.*\bNOT VALID\b).*\bADD (CONSTRAINT \w+ )?(CHECK|FOREIGN KEY)\b/i,
    'Reads the whole table while it blocks callers. Add the constraint as NOT VALID, and VALIDATE it in a later migration.',
  ],
  [
    /^ALTER TABLE .*\bALTER (COLUMN )?\w+ SET NOT NULL\b/i,
    'Reads the whole table while it blocks all callers. Add CHECK (column IS NOT NULL) NOT VALID, and VALIDATE it in a later migration.',
  ],
  [
    /^ALTER TABLE .*\bALTER (COLUMN )?\w+ (SET DATA )?TYPE\b/i,
    'Rewrites the table while it blocks all callers. Add a column of the new type, and convert rows in batches.',
  ],
  [
    /^ALTER TABLE .*\bSET (LOGGED|UNLOGGED|TABLESPACE|ACCESS METHOD)\b/i,
    'Rewrites the table while it blocks all callers.',
  ],
  [
    /^(UPDATE|DELETE|MERGE|TRUNCATE|WITH)\b/i,
    'Locks rows until the migration ends. Convert old rows a few thousand at a time, while the servers run.',
  ],
  [/^(CLUSTER|VACUUM|REINDEX|REFRESH|LOCK)\b/i, 'Blocks callers while it reads or rewrites the table.'],
];

/** Statements that are short on any table, because they change only the catalogue. All others need a reason. */
const brief =
  /^(SET LOCAL|CREATE (OR REPLACE )?(TABLE|VIEW|FUNCTION|TYPE|SEQUENCE|INDEX|UNIQUE INDEX)|ALTER (TABLE|INDEX|VIEW|TYPE|SEQUENCE|FUNCTION)|DROP (TABLE|VIEW|FUNCTION|TYPE|SEQUENCE|INDEX)|COMMENT ON|GRANT|REVOKE|INSERT INTO \w+ (\([^)]*\) )?VALUES)\b/i;

/** The reason why a statement may run although this check does not allow it, in a comment before the statement. */
const reason = /^-- does not block: \S.*$/m;

export type Problem = { line: number; statement: string; advice: string };

/** The statements of a migration that could block callers of an existing table for long. */
export function blockingStatements(sql: string): Problem[] {
  const statements = splitStatements(sql).map(({ text, offset }) => {
    const start = nextStatement(sql, offset) ?? offset;
    const isExcused = reason.test(sql.slice(offset, start));
    // The words in strings are data.
    const statement = withoutComments(text).replaceAll(/'[^']*'/g, "''");
    return { sql: statement, line: sql.slice(0, start).split('\n').length, isExcused };
  });
  const created = new Set(statements.flatMap((one) => tableIn(/^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/i, one.sql)));
  const altered = new Set(
    statements.flatMap((one) => tableIn(/^ALTER TABLE (?:IF EXISTS )?(\w+) .*\bADD\b/i, one.sql)),
  );
  let hasTimeout = false;
  return statements.flatMap(({ sql: statement, line, isExcused }) => {
    hasTimeout ||= /^SET LOCAL lock_timeout\b/i.test(statement);
    const [table = ''] = tableIn(
      /^(?:ALTER|DROP) TABLE (?:IF EXISTS )?(?:ONLY )?(\w+)|^CREATE .*?INDEX .*?\bON (\w+)/i,
      statement,
    );
    if (isExcused || created.has(table)) return [];
    const advice = adviceFor(statement, table, hasTimeout, altered);
    return advice === undefined ? [] : [{ line, statement: statement.slice(0, 80), advice }];
  });
}

function adviceFor(
  statement: string,
  table: string,
  hasTimeout: boolean,
  altered: ReadonlySet<string>,
): string | undefined {
  const [, advice] = blocking.find(([pattern]) => pattern.test(statement)) ?? [];
  if (advice !== undefined) return advice;
  if (!brief.test(statement)) {
    return 'This check does not know whether the statement blocks callers. If it does not, write "-- does not block: REASON" above it.';
  }
  if (/^CREATE .*?INDEX/i.test(statement) && altered.has(table)) {
    return 'On a large table, the index is built before this migration runs, so it cannot use a column that the migration adds. Move it to the next migration.';
  }
  if (/^(ALTER|DROP) (TABLE|INDEX|VIEW)|^CREATE .*?INDEX/i.test(statement) && !hasTimeout) {
    return "Waits for the lock of an existing table, and all callers wait behind it. Begin the migration with SET LOCAL lock_timeout = '500ms'.";
  }
  return undefined;
}

function tableIn(pattern: RegExp, statement: string): string[] {
  const found = pattern
    .exec(statement)
    ?.slice(1)
    .find((name) => name !== undefined);
  return found === undefined ? [] : [found];
}

if (import.meta.main) {
  const files = globSync(`${folder}/*.sql`, { cwd: root });
  for (const file of files.sort()) {
    for (const { line, statement, advice } of blockingStatements(readFileSync(join(root, file), 'utf8'))) {
      console.error(`${file}:${line}: ${statement}\n  ${advice}`);
      process.exitCode = 1;
    }
  }
}
