import { ours, serverNames } from './subjects/servers.ts';
import { workNames } from './subjects/works.ts';

export const HELP = `npm run bench -- [options]

Measures our server beside peers that do the same work on the same database, each in turns: one core for the server,
another for the load. Shows how it goes on standard error, its tables on standard output, and writes compare-*.json.

  --only WORK      only this work; may be said several times:
${list(workNames)}
  --against PEER   only this peer; may be said several times:
${list(serverNames.filter((name) => name !== ours))}
  --rounds N       of each work (11)
  --seconds N      of each round (0.5)
  --connections N  kept open by the load (50)
  --starts N       of each server, and of npm run generate (7); 0 leaves them out
  --memory N       rounds of memory after --requests by --keys, against Fastify (1); 0 leaves it out
  --requests N     (1000000)
  --keys N         (100000)
  --output FOLDER  where the file goes (dist/bench)
  --with-tests     measures npm test, too, which takes minutes
  --record         writes docs/performance.md, its picture and its figures anew
  --smoke          under a minute, against Fastify alone; exits 1 when less than half of a target is reached in three of
                   four rounds
  --help           this text
`;

/** Names as the help shows them, one a line. */
export function list(names: readonly string[]): string {
  return names.map((name) => `                     ${name}`).join('\n');
}
