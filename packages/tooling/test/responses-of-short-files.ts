/**
 * Runs before each test file. The responses that the longest files see are not recorded: each documented response needs
 * a test in another file, so that `npm test` tests it, too.
 */
import { expect } from '@jest/globals';
import { isLongFile } from './long-files.ts';

const { testPath = '' } = expect.getState();
if (isLongFile(testPath)) delete process.env['CONTRACT_FIRST_SEEN_RESPONSES'];
