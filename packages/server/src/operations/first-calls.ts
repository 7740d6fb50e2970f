/** The curl commands that `npm start` prints. */
export function firstCalls(apiUrl: string, secret: string): string[] {
  const authorization = `-H "Authorization: Bearer ${secret}"`;
  const body = `-H "Content-Type: application/json" -d '{"name":"Rex","categoryId":3,"status":"available"}'`;
  return [`curl ${authorization} "${apiUrl}/pets"`, `curl ${authorization} ${body} "${apiUrl}/pets"`];
}
