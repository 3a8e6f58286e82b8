/** The chapters of the book, in the order in which they are read. */
import architecture from './architecture.md';
import badHour from './bad-hour.md';
import cabinet from './cabinet.md';
import client from './client.md';
import contract from './contract.md';
import contributing from './contributing.md';
import cosigner from './cosigner.md';
import decisions from './decisions.md';
import deploy from './deploy.md';
import hedging from './hedging.md';
import history from './history.md';
import house from './house.md';
import life from './life.md';
import networks from './networks.md';
import passkeys from './passkeys.md';
import run from './run.md';
import schema from './schema.md';
import solvency from './solvency.md';
import threats from './threats.md';
import verify from './verify.md';
import years from './years.md';

export interface Chapter {
	/** As citations and addresses name it. */
	readonly name: string;
	readonly title: string;
	/** Markdown; its first line is the title as a heading. */
	readonly text: string;
}

export const CHAPTERS: readonly Chapter[] = [
	{ name: 'contract', title: 'The contract', text: contract },
	{ name: 'client', title: 'The client library', text: client },
	{ name: 'verify', title: 'Verify it yourself', text: verify },
	{ name: 'solvency', title: 'What is owed and held', text: solvency },
	{ name: 'networks', title: 'Networks', text: networks },
	{ name: 'architecture', title: 'Architecture', text: architecture },
	{ name: 'life', title: 'The life of a call and of a deposit', text: life },
	{ name: 'schema', title: 'The schema', text: schema },
	{ name: 'threats', title: 'Threats', text: threats },
	{ name: 'deploy', title: 'Deploying the service', text: deploy },
	{ name: 'house', title: 'The signer in a house of its own', text: house },
	{ name: 'cosigner', title: 'A co-signer', text: cosigner },
	{ name: 'run', title: 'Running the service', text: run },
	{ name: 'cabinet', title: 'The partner cabinet', text: cabinet },
	{ name: 'passkeys', title: 'Passkeys of the operator', text: passkeys },
	{ name: 'hedging', title: 'Hedging', text: hedging },
	{ name: 'history', title: 'History that cannot be bent', text: history },
	{ name: 'bad-hour', title: 'The bad hour', text: badHour },
	{ name: 'years', title: 'Years', text: years },
	{ name: 'contributing', title: 'Contributing', text: contributing },
	{ name: 'decisions', title: 'Tried and rejected', text: decisions },
];
