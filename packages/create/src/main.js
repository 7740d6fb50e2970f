#!/usr/bin/env node
/** npm create @contract-first FOLDER -- --contract FILE: writes a project that serves the contract, as `contract-first new api` does. */
process.argv.splice(2, 0, 'new', 'api');
await import('@contract-first/tooling');
