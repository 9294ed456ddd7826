// policy-copy POLICY REGISTRIES.D REFERENCE DIRECTORY copies an image from a registry over http into a directory if the
// policy accepts its signatures, by the library of podman, CRI-O and skopeo.
package main

import (
	"context"
	"fmt"
	"os"

	"go.podman.io/image/v5/copy"
	"go.podman.io/image/v5/directory"
	"go.podman.io/image/v5/docker"
	"go.podman.io/image/v5/signature"
	"go.podman.io/image/v5/types"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: policy-copy POLICY REGISTRIES.D REFERENCE DIRECTORY")
		os.Exit(64)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(policyFile, registries, reference, place string) error {
	policy, err := signature.NewPolicyFromFile(policyFile)
	if err != nil {
		return err
	}
	decides, err := signature.NewPolicyContext(policy)
	if err != nil {
		return err
	}
	defer decides.Destroy()
	source, err := docker.ParseReference("//" + reference)
	if err != nil {
		return err
	}
	destination, err := directory.NewReference(place)
	if err != nil {
		return err
	}
	_, err = copy.Image(context.Background(), decides, destination, source, &copy.Options{
		ImageListSelection: copy.CopyAllImages,
		PreserveDigests:    true,
		SourceCtx: &types.SystemContext{
			RegistriesDirPath:           registries,
			DockerInsecureSkipTLSVerify: types.OptionalBoolTrue,
		},
	})
	return err
}
