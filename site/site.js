// The search is larger than the rest of the site's script: it loads when the reader begins to search, and then searches
// what was typed before it was there.
{
  const script = document.getElementById('tsd-search-script');
  const load = () => script?.setAttribute('src', script.dataset['src'] ?? '');
  document.getElementById('tsd-search-input')?.addEventListener('focus', load, { once: true });
}

// What scrolls sideways can be scrolled with the keyboard. Sizes are known when the page is shown, and change.
const tables = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0');
    else target.removeAttribute('tabindex');
  }
});
for (const table of document.querySelectorAll('table')) tables.observe(table);
