// Finds sections of the docs while the reader types. The index is fetched at the first letter; without this script the
// form leads to a page with the same (pages/docs/search.ts has the same rule).
const field = document.querySelector('search input[name="q"]');
const list = document.getElementById('found');
let index = null;

const score = ({ page, heading, text }, words) => {
	const has = (where, word) => where.toLowerCase().includes(word);
	const scores = words.map(
		(word) => (has(heading, word) ? 10 : 0) + (has(page, word) ? 4 : 0) + (has(text, word) ? 1 : 0),
	);
	return scores.includes(0) ? 0 : scores.reduce((sum, one) => sum + one, 0);
};

function show(query) {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	const best = index
		.map((entry) => ({ entry, score: score(entry, words) }))
		.filter((one) => words.length > 0 && one.score > 0)
		.sort((a, b) => b.score - a.score)
		.slice(0, 12);
	const items = best.map(({ entry }) => {
		const item = document.createElement('li');
		const link = document.createElement('a');
		const page = document.createElement('small');
		link.href = entry.path;
		link.textContent = entry.heading;
		page.textContent = entry.heading === entry.page ? '' : ` ${entry.page}`;
		link.append(page);
		item.append(link);
		return item;
	});
	const holder = document.createElement(best.length > 0 ? 'ul' : 'p');
	if (best.length > 0) holder.append(...items);
	else holder.textContent = 'Nothing found.';
	list.replaceChildren(...(words.length > 0 ? [holder] : []));
}

field?.addEventListener('input', async () => {
	try {
		index ??= await (await fetch('/docs/search.json')).json();
		show(field.value);
	} catch {
		// The form still works.
	}
});
