/** Writes the code that tests generate from other contracts. Jest runs this before all tests, `npm run check` before it checks types. */
import { fixtureFiles } from '../packages/client-core/test/fixture/generate.ts';
import { secondContractFiles } from '../packages/server/test/second-contract/generate.ts';
import { writeChanged } from '../packages/tooling/src/common/files.ts';
import { templateFixture } from '../packages/tooling/test/template-fixture.ts';

export default async function writeFixtures() {
  const files = [await fixtureFiles(), await secondContractFiles(), await templateFixture()].flat();
  for (const [file, text] of files) writeChanged(file, text);
}

if (import.meta.filename === process.argv[1]) await writeFixtures();
