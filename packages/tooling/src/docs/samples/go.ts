import { keyPlaceholder, keyVariable } from './request.ts';
import { allHeaders, callsOf, concatenated, type JsonRequest, jsonOf, urlOf } from './sample-request.ts';

/** The packages that samples use. A sample imports those whose names occur in it. */
const packages = ['fmt', 'io', 'net/http', 'os', 'path', 'strings', 'time'];

const printBody = `if _, err := io.Copy(os.Stdout, response.Body); err != nil {
	panic(err)
}`;

/** The operation with the standard library of Go: `go run main.go` runs it. */
export function goSample(sample: JsonRequest): string {
  const calls = callsOf(sample, '//').map(({ title, name, request }, at) => {
    const { method, body, response } = request;
    const headers = allHeaders(request).map(({ name, value }) => `request.Header.Set("${name}", ${quoted(value)})\n`);
    const assign = at === 0 ? ':=' : '=';
    const print = response.reading === 'status' ? 'fmt.Println(response.StatusCode)' : printBody;
    return `${title}request, err ${assign} http.NewRequest(
	"${method}",
	${quoted(urlOf(request))},
	${body === undefined ? 'nil' : `strings.NewReader(${quoted(jsonOf(body))})`},
)
if err != nil {
	panic(err)
}
${headers.join('')}
response, err ${assign} client.Do(request)
if err != nil {
	panic(err)
}
defer response.Body.Close()
if response.StatusCode >= 400 {
	problem, _ := io.ReadAll(response.Body)
	panic(string(problem))
}
${name ? `${name} := path.Base(response.Header.Get("Location"))` : print}
`;
  });
  const key = `key := os.Getenv(${quoted(keyVariable)})
if key == "" {
	key = ${quoted(keyPlaceholder)}
}
`;
  const main = `${sample.secret ? key : ''}client := http.Client{Timeout: 30 * time.Second}
${calls.join('\n')}`;
  const imports = packages.filter((name) => new RegExp(`\\b${name.split('/').at(-1)}\\.`).test(main));
  return `package main

import (
${imports.map((name) => `\t"${name}"\n`).join('')})

func main() {
${main.replaceAll(/^(?=.)/gm, '\t')}}
`;
}

/** A JSON string is also a valid Go string. */
const quoted = (text: string) => concatenated(text, '+');
