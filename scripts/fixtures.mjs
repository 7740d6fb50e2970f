/** Writes the code that tests generate from other contracts. Jest runs this before all tests, `npm run check` before it checks types. */
import { fixtureFiles } from '../packages/client-core/test/fixture/generate.ts';
import { secondContractFiles } from '../packages/server/test/second-contract/generate.ts';
import { writeChanged } from '../packages/tooling/src/common/write-changed.ts';

export default async function writeFixtures() {
  for (const [file, text] of [...(await fixtureFiles()), ...(await secondContractFiles())]) writeChanged(file, text);
}

if (import.meta.filename === process.argv[1]) await writeFixtures();
