/** The completion scripts, run by bash itself. zsh runs the same function through its `bashcompinit`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { completionScript } from '../../src/operator/cli/completion.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';

/** What bash offers at the end of each line; one process answers them all. */
function offered(lines: readonly string[]): string[][] {
	const asked = lines.map((line) => {
		const words = line.split(' ').map((word) => `'${word}'`);
		return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _exchange; echo "\${COMPREPLY[*]}"`;
	});
	const script = [completionScript('bash'), ...asked].join('\n');
	return execFileSync('bash', ['--norc', '-u'], { input: script, encoding: 'utf8' })
		.slice(0, -1)
		.split('\n')
		.map((line) => line.split(' '));
}

const CASES: readonly (readonly [string, readonly string[]])[] = [
	['exchange o', ['order']],
	['npx exchange aud', ['audit']],
	['exchange order f', ['find', 'finalise', 'find-stray']],
	['exchange --json order l', ['list']],
	['exchange order list --s', ['--status', '--since']],
	['exchange order list --status E', ['EXCHANGE', 'EXPIRED', 'EMERGENCY']],
	['exchange order list --attention --status N', ['NEW']],
	['exchange order list --format c', ['csv']],
	['exchange site update --maintenance o', ['on', 'off']],
	['exchange partner update Acme --webhook-url n', ['none']],
	['exchange partner replace-secret Acme w', ['webhookSecret']],
	['exchange attention --w', ['--wide', '--watch']],
	['exchange completion z', ['zsh']],
	['exchange partner create --name A', ['']],
];

describe('completion in bash', () => {
	it('completes topics, verbs, options and choices, and nothing after a free text', () => {
		const found = offered(CASES.map(([line]) => line));
		expect(CASES.map(([line], i) => [line, found[i]])).toEqual(CASES);
	});

	it('offers every topic, and every verb of each', () => {
		const names = Object.keys(TOPICS);
		const [topics, ...verbs] = offered(['exchange ', ...names.map((name) => `exchange ${name} `)]);
		expect(topics).toEqual(expect.arrayContaining(names));
		const declared = Object.values(TOPICS).map(({ commands }) => {
			const named = Object.keys(commands).filter(Boolean);
			return named.length > 0 ? named : [''];
		});
		expect(verbs).toEqual(declared);
	});

	it('leaves npx alone where it runs something else', () => {
		expect(offered(['npx wrangler o', 'npx e'])).toEqual([[''], ['']]);
	});
});

it.each(['bash', 'zsh'] as const)('the script for %s has no syntax error', (shell) => {
	const script = completionScript(shell);
	for (const name of ['bash', 'zsh']) {
		const { error, status, stderr } = spawnSync(name, ['-n'], { input: script, encoding: 'utf8' });
		// zsh is not everywhere; bash reads the same text.
		if (error && name === 'zsh') continue;
		expect([status, stderr]).toEqual([0, '']);
	}
});
