import { headersWithType, type JsonRequest, urlOf } from './sample-request.ts';

/** The packages that samples use. A sample imports those whose names occur in it. */
const packages = ['fmt', 'io', 'net/http', 'os', 'strings', 'time'];

const printBody = `if _, err := io.Copy(os.Stdout, response.Body); err != nil {
	panic(err)
}`;

/** The operation with the standard library of Go: `go run main.go` runs it. */
export function goSample(request: JsonRequest): string {
  const { method, body, secret, names, remarks, response } = request;
  const headers = [
    ...(secret === undefined ? [] : [[secret.name, secret.prefix === '' ? 'key' : `${quoted(secret.prefix)}+key`]]),
    ...headersWithType(request).map(({ name, value }) => [name, quoted(String(value))]),
  ];
  const key = `key := os.Getenv(${quoted(secret?.variable ?? '')})
if key == "" {
	key = ${quoted(names.keyPlaceholder)}
}
`;
  const main = `${secret === undefined ? '' : key}request, err := http.NewRequest(
	"${method}",
	${quoted(urlOf(request))},
	${body === undefined ? 'nil' : data(JSON.stringify(body.value))},
)
if err != nil {
	panic(err)
}
${headers.map(([name, value]) => `request.Header.Set("${name}", ${value})\n`).join('')}
client := http.Client{Timeout: 30 * time.Second}
response, err := client.Do(request)
if err != nil {
	panic(err)
}
defer response.Body.Close()
if response.StatusCode >= 400 {
	problem, _ := io.ReadAll(response.Body)
	panic(string(problem))
}
${response.reading === 'status' ? 'fmt.Println(response.StatusCode)' : printBody}
`;
  const imports = packages.filter((name) => new RegExp(`\\b${name.split('/').at(-1)}\\.`).test(main));
  return `${remarks.map((remark) => `// ${remark}\n`).join('')}package main

import (
${imports.map((name) => `\t"${name}"\n`).join('')})

func main() {
${main.replaceAll(/^(?=.)/gm, '\t')}}
`;
}

/** Between backticks, no other character is special. */
function data(json: string): string {
  return `strings.NewReader(${json.includes('`') ? quoted(json) : `\`${json}\``})`;
}

/** A JSON string is also a valid Go string. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
