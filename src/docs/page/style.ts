/** The page's style: system fonts, light and dark by the reader's own setting, a phone's width first. */
export const STYLE = `
:root {
	color-scheme: light dark;
	--text: #1c2330; --soft: #51596a; --page: #fff; --block: #f3f5f9; --line: #d5dae3;
	--link: #0b57b8; --badge: #0b57b8;
}
@media (prefers-color-scheme: dark) {
	:root {
		--text: #e4e8ef; --soft: #a9b2c2; --page: #12161d; --block: #1b212b; --line: #343c49;
		--link: #7db4ff; --badge: #2a5fa8;
	}
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; }
main { padding: 1rem; max-width: 54rem; min-width: 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.45rem; line-height: 1.25; margin: 3rem 0 .75rem; padding-top: 1rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.15rem; line-height: 1.3; margin: 2rem 0 .5rem; }
h4 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
h2 a, h3 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover { text-decoration: underline; }
p, ul, ol { margin: .5rem 0 1rem; }
li { margin: .25rem 0; }
code { font: .875em/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; background: var(--block);
	padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--block); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem; margin: .5rem 0 1rem;
	overflow-x: auto; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
section { border-bottom: 1px solid var(--line); padding-bottom: 1.5rem; }
section h3 { font-size: 1.25rem; }
main summary { cursor: pointer; }
.lead, .facts, .optional { color: var(--soft); }
.optional { display: block; font-weight: 400; font-size: .8125rem; }
.call { margin: .25rem 0; }
.method { background: var(--badge); color: #fff; font-size: .8125rem; font-weight: 600; padding: .15rem .45rem;
	border-radius: 4px; }
.scroll { overflow-x: auto; margin: .5rem 0 1rem; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; line-height: 1.45; }
th, td { text-align: left; vertical-align: top; padding: .4rem .45rem; border-top: 1px solid var(--line); }
thead th { border-top: 0; background: var(--block); color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 500; }
/* Not anywhere: a column is as wide as its longest name. */
table code { overflow-wrap: break-word; }
nav { padding: 1rem; border-bottom: 1px solid var(--line); font-size: .9375rem; }
nav summary { cursor: pointer; font-weight: 600; }
nav ul { list-style: none; padding: 0; margin: .5rem 0 1rem; }
nav li { margin: 0; }
nav li a { display: block; padding: .25rem 0; text-decoration: none; }
nav li a:hover { text-decoration: underline; }
nav a[aria-current] { font-weight: 600; }
nav p { margin: .5rem 0 0; font-weight: 600; }
nav p a { color: inherit; text-decoration: none; }
nav code { background: none; padding: 0; }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; display: block; padding: .5rem 1rem; }
@media (max-width: 40rem) {
	.wide thead { position: absolute; clip-path: inset(50%); }
	.wide tr { display: flex; flex-wrap: wrap; gap: 0 .75rem; padding: .4rem .45rem; border-top: 1px solid var(--line); }
	.wide th, .wide td { border: 0; padding: .1rem 0; }
	.wide tbody th { font-weight: 600; }
	.wide td:last-child { flex-basis: 100%; }
	.wide td:empty { display: none; }
	.wide tbody tr:first-child { border-top: 0; }
	.scroll { position: relative; }
}
@media (min-width: 62rem) {
	body { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
	nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); }
	main { padding: 1rem 2.5rem 6rem; }
	th, td { padding: .5rem .7rem; }
	nav summary { display: none; }
	nav details::details-content { content-visibility: visible; }
	.skip:focus { position: absolute; left: 0; background: var(--page); }
}
@media print { nav, .skip { display: none; } }
`;
