package train

import (
	"context"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/dataset/objects"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// viewsOfKernels returns the views that specifications of kernels name: of the features of rows, or of the objects that rows
// name.
func (d *Data) viewsOfKernels() []dataset.View {
	if d.Objects != nil {
		return d.Objects.Views()
	}
	return d.Views
}

// scaledObjects returns the objects that rows name with their features scaled for kernels of these specifications.
func (d *Data) scaledObjects(ctx context.Context, specs []string, b *budget.Options) (*objects.Set, error) {
	return d.Objects.Scaled(ctx, objects.ScaleOptions{
		Scale: d.scaleOfKernels(specs), Dir: b.Scratch, Memory: budget.Reading(b.Memory), Disk: b.MostDisk,
	})
}

// checkObjects returns a source of the rows of src that name objects. Rows that have been read once are not checked again.
func (d *Data) checkObjects(src dataset.Source) dataset.Source {
	if _, again := src.(*dataset.Spool); again {
		return src
	}
	return d.Objects.Check(src)
}

// objectsIdentity returns a hash of the features of objects and of the matrices between them.
func objectsIdentity(k *kernels.Prepared) string {
	var h xxhash.Digest
	h.Reset()
	set := k.Objects()
	for _, kind := range set.Kinds {
		fmt.Fprintln(&h, kind.Count, kind.Dim, kind.Names)
		h.Write(mmap.Bytes(kind.Values))
	}
	for i := range set.Matrices {
		h.Write(mmap.Bytes(set.Matrices[i].Values))
	}
	return fmt.Sprintf("%v %016x", set.Columns, h.Sum64())
}
