/** Swagger UI has a name of its own for dark pages. */
export function followColours(): void {
  const { documentElement: page } = document;
  const follow = () => page.classList.toggle('dark-mode', page.classList.contains('dark'));
  new MutationObserver(follow).observe(page, { attributes: true, attributeFilter: ['class'] });
  follow();
}
