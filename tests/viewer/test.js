// Runs the tests of one file: each is a function whose name says what holds. The first that fails ends the program with
// status 1, as node does for any error.
export async function run(tests) {
    for (const test of tests) {
        await test();
        console.log(`ok ${test.name}`);
    }
}
