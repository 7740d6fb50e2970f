/** One instruction of a Dockerfile: `COPY --from=docs /app/dist/docs dist/docs`. */
export type Instruction = {
  keyword: string;
  /** What stands behind `--`, by name. */
  flags: Record<string, string>;
  /** The rest, as it is written, lines joined. */
  text: string;
};

/** A stage, from its FROM to the next one. */
export type Stage = { name: string; base: string; instructions: Instruction[] };

/** The stages of a Dockerfile, by name; what stands before the first FROM is in `defaults`. */
export function readDockerfile(content: string): { defaults: Record<string, string>; stages: Stage[] } {
  const defaults: Record<string, string> = {};
  const stages: Stage[] = [];
  for (const instruction of readInstructions(content)) {
    const stage = stages.at(-1);
    if (instruction.keyword === 'FROM') stages.push(readStage(instruction, defaults));
    else if (stage !== undefined) stage.instructions.push(instruction);
    else {
      const [name = '', value = ''] = instruction.text.split('=');
      defaults[name] = value;
    }
  }
  return { defaults, stages };
}

function readStage({ text }: Instruction, defaults: Record<string, string>): Stage {
  const filled = text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => defaults[name] ?? '');
  const [base = '', , name = ''] = filled.split(/\s+/);
  return { base, name, instructions: [] };
}

function readInstructions(content: string): Instruction[] {
  const withoutComments = content.replace(/^#.*\n/gm, '');
  const lines = withoutComments
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, keyword = '', flags = '', text = ''] = /^([A-Z]+)((?:\s+--\S+)*)\s+(.*)$/.exec(line) ?? [];
    if (keyword === '') throw new Error(`This line of the Dockerfile is no instruction: ${line}`);
    return { keyword, flags: readFlags(flags), text };
  });
}

function readFlags(text: string): Record<string, string> {
  const flags = [...text.matchAll(/--([a-z-]+)=(\S+)/g)];
  return Object.fromEntries(flags.map(([, name = '', value = '']) => [name, value]));
}

/** What the last stage sets for whoever runs the image. */
export function imageSettings(content: string): { user: string; environment: Record<string, string> } {
  const instructions = readDockerfile(content).stages.at(-1)?.instructions ?? [];
  const texts = (keyword: string) =>
    instructions.filter((instruction) => instruction.keyword === keyword).map(({ text }) => text);
  const settings = texts('ENV').flatMap((text) => text.split(/\s+/));
  const environment = settings.map((setting): [string, string] => {
    const [name = '', ...value] = setting.split('=');
    return [name, value.join('=')];
  });
  return { user: texts('USER').at(-1) ?? 'root', environment: Object.fromEntries(environment) };
}
