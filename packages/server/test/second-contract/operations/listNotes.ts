import type { Call, Result } from './operation.ts';

export async function listNotes({ query, header, storage }: Call<'listNotes'>): Promise<Result<'listNotes'>> {
  const { limit, tag, minWeight = 0 } = query;
  const notes = await storage.listNotes({ after: 0, limit });
  const found = notes.filter(
    ({ weight, tags = [] }) => weight >= minWeight && (tag?.some((each) => tags.includes(each)) ?? true),
  );
  const depth: number = header['X-Depth'] ?? 3;
  return { status: 200, body: header['X-Region'] === 'south' || depth < 2 ? [] : found };
}
