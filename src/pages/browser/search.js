// Finds sections of the docs while the reader types. What finds them, and the index, are fetched at the first letter;
// without this script the form leads to a page with the same.
const field = document.querySelector('search input[name="q"]');
const list = document.getElementById('found');
let search = null;

async function load() {
	const { found, readIndex, INDEX_PATH } = await import('../docs/search.ts');
	const index = readIndex(await (await fetch(INDEX_PATH)).text());
	return (query) => found(index, query);
}

function itemOf({ path, page, heading }) {
	const item = document.createElement('li');
	const link = document.createElement('a');
	const small = document.createElement('small');
	link.href = path;
	link.textContent = heading;
	small.textContent = heading === page ? '' : ` ${page}`;
	link.append(small);
	item.append(link);
	return item;
}

function show(query) {
	const best = search(query);
	const holder = document.createElement(best.length > 0 ? 'ul' : 'p');
	if (best.length > 0) holder.append(...best.map(itemOf));
	else holder.textContent = 'Nothing found.';
	list.replaceChildren(...(query.trim() === '' ? [] : [holder]));
}

field?.addEventListener('input', async () => {
	try {
		search ??= await load();
		show(field.value);
	} catch {
		// The form still works.
	}
});
