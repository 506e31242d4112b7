// The search's index is larger than the rest of the site's script: it loads when the reader begins to search.
{
  const index = document.getElementById('tsd-search-script');
  const field = document.getElementById('tsd-search-input');
  const status = document.getElementById('tsd-search-status');

  /** What was typed before the index was there is searched then: the status says until then that it comes. */
  const ready = new MutationObserver(() => {
    ready.disconnect();
    field?.dispatchEvent(new Event('input'));
  });
  const load = () => {
    if (status) ready.observe(status, { childList: true });
    index?.setAttribute('src', index.dataset['src'] ?? '');
  };
  field?.addEventListener('focus', load, { once: true });
}

// What scrolls sideways can be scrolled with the keyboard. Sizes are known when the page is shown, and change.
const tables = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0');
    else target.removeAttribute('tabindex');
  }
});
for (const table of document.querySelectorAll('table')) tables.observe(table);
