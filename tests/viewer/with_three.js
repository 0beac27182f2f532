// Runs a test whose modules need three: with_three.js TEST.js. Without it the test is skipped.
try {
    await import("three");
} catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND")
        throw error;
    console.log("skipped: there is no node_modules/three; npm ci brings it");
    process.exit(77);
}
await import(new URL(process.argv[2], "file://"));
