/** On `globalThis`, because a process may load the client and its mocks from different files: ESM, CommonJS, or bundled. */
const name = Symbol.for('contractFirst.mocks');

/** How often the mocks of this process or page were created or reset; 0 without mocks. */
export function mockResets(): number {
  return Number(Reflect.get(globalThis, name) ?? 0);
}

/** Makes every client forget what mocks said about its quota. */
export function resetMocked(): void {
  Reflect.set(globalThis, name, mockResets() + 1);
}
