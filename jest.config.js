import { availableParallelism } from 'node:os';

/** Tests run on the sources as they are: SWC takes the types away, nothing else is changed. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{packages,scripts,bench,examples}/**/*.test.ts'],
  globalSetup: '<rootDir>/scripts/fixtures.mjs',
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  modulePathIgnorePatterns: ['/dist/', '/packages/tooling/template/', '/packages/server/resource/'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } }],
    '\\.tsx$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic' } },
          target: 'es2024',
        },
        module: { type: 'es6' },
      },
    ],
  },
  reporters: ['default', '<rootDir>/packages/tooling/test/responses-reporter.ts'],
  // Many tests start processes, so two files at once keep two cores busy.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  // Each file loads the modules again, which a worker never frees. With 1.8 GB it takes longer to exit than Jest waits.
  workerIdleMemoryLimit: '700MB',
  // A worker gets this long to exit, 0.5 s by default, which a busy machine needs thirty times of.
  workerGracefulExitTimeout: 15_000,
  // Only ends tests that hang. It does not measure speed, because a busy machine may be many times slower.
  testTimeout: 600_000,
};
