import { readConfig, removedSettings } from '../../service/src/config/config.ts';

/** Every environment variable that the server's configuration is read from. */
export const settingNames: ReadonlySet<string> = namesRead();

function namesRead(): Set<string> {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, undefined>>(
    {},
    {
      get: (_, name) => {
        names.add(String(name));
        return undefined;
      },
    },
  );
  readConfig(environment);
  for (const name of Object.keys(removedSettings)) names.delete(name);
  return names;
}
